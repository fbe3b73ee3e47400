import { unwrapTextParts } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

const READ_ONLY = { "*": "deny", read: "allow", grep: "allow", glob: "allow", list: "allow" };

/**
 * opencode. The prompt on stdin, events on stdout, one JSON object a line, the text in those of type `text`.
 *
 * The agent `plan`, whose edits are denied, and permissions that deny all that does not read; what would have to be
 * asked is rejected without a terminal.
 *
 * Source: https://opencode.ai/docs/cli, /agents and /permissions, and `cli/cmd/run.ts` of anomalyco/opencode, as of
 * 2026-11.
 */
export const opencode: Reviewer = {
  name: "opencode",
  program: "opencode",
  // Its keys are those of whichever provider it is set up for.
  passEnv: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
  call: (request) => ({
    command: {
      file: "opencode",
      args: ["run", "--format=json", "--agent=plan", ...modelFlag(request)],
    },
    stdin: request.prompt,
    env: { OPENCODE_PERMISSION: JSON.stringify(READ_ONLY) },
  }),
  unwrapOutput: (stdout) => unwrapTextParts(stdout) ?? stdout,
};
