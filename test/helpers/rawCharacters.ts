/** Characters that must not be printed to a terminal. `CONTROL_CHARACTERS` must not be sent to an agent, either. */
const RANGES = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
export const CONTROL_CHARACTERS = new RegExp(`[${RANGES}]`, "u");
export const RAW_CHARACTERS = new RegExp(
  `[${RANGES}\\u200b-\\u200d\\u202a-\\u202e\\u2066-\\u2069\\u{e0000}-\\u{e007f}]`,
  "u"
);
