import { expect, test } from "vitest";
import { listHandlers, replaceFields } from "@/node/services/hooks/settings/editHooks";

const TEXT = `\uFEFF{
  // mine
  "hooks": {
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "old" }] }],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "old", /* why */ "timeout": 3 }, "odd", 7] },
      { "matcher": "x", "hooks": [
        { "type": "prompt", "prompt": "p" },
        { "command": "other" },
        { "command": "\\u006fld" }, // last
      ] },
      ["hooks", [{ "command": "old" }]],
      { "hooks": { "command": "old" } },
    ],
  },
}
`;

test("lists the handlers of one event with their lines (G29)", () => {
  expect(listHandlers(TEXT, "Stop")).toMatchObject([
    { line: 6, command: "old", fields: { type: "command", command: "old", timeout: 3 } },
    { line: 9, command: "other" },
    { line: 10, command: "old" },
  ]);
  expect(listHandlers(TEXT, "UserPromptSubmit")).toMatchObject([{ line: 4, command: "old" }]);
});

test("replaces and adds values of fields, and keeps every other byte (G29)", () => {
  const edited = replaceFields(TEXT, "Stop", ({ command }) =>
    command === "old" ? { command: 'new "one"', timeout: 9 } : undefined
  );
  expect(edited.split("\n").filter((line, i) => line !== TEXT.split("\n")[i])).toEqual([
    '      { "hooks": [{ "type": "command", "command": "new \\"one\\"", /* why */ "timeout": 9 }, "odd", 7] },',
    '        { "command": "new \\"one\\"", "timeout": 9 }, // last',
  ]);
});

test.each(["", "[]", "nonsense", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": null}'])(
  "finds no handler in %j (G29)",
  (text) => {
    expect(listHandlers(text, "Stop")).toEqual([]);
    expect(replaceFields(text, "Stop", () => ({ command: "new" }))).toBe(text);
  }
);
