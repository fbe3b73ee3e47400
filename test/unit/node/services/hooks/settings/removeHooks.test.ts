import { describe, expect, test } from "vitest";
import {
  addHook,
  type HookFormat,
  isWithoutContent,
  removeHooks,
} from "@/node/services/hooks/settings/editHooks";
import { expectLinear } from "@test/helpers/process/cpuTime";

const OURS = { type: "command", command: "ours" };
const FLAT: HookFormat = { isGrouped: false, commandKey: "bash", emptyFile: { version: 1 } };
const isOurs = ({ command }: Record<string, unknown>): boolean => command === "ours";

function remove(source: string, format?: HookFormat): string {
  return removeHooks(source, "Stop", isOurs, format);
}

const FILES = [
  '{"a":1}',
  '{"a":1 }\n',
  '{ "a": 1, /* c */ }',
  '{\n  "a": 1\n}\n',
  '{\n  // first\n  "a": 1 // one\n  // last\n}\n',
  '{\n  "a": 1, // one\n}\n',
  '{\r\n\t"a": [1,2],\r\n\t"hooks": {\r\n\t\t"Other": [], // x\r\n\t},\r\n}\r\n',
  '\uFEFF{"hooks": {"Other": [1]}}',
  '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] } // mine\n      // and no more\n    ] /* of hooks */\n  } // end\n}\n',
  '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}]}}',
];

test.each(FILES)("restores %j after one hook, and after two (G29)", (source) => {
  const added = addHook("s.json", source, "Stop", OURS)._unsafeUnwrap();
  expect(added).not.toBe(source);
  expect(remove(added)).toBe(source);
  const both = addHook("s.json", added, "Begin", OURS)._unsafeUnwrap();
  expect(removeHooks(remove(both), "Begin", isOurs)).toBe(source);
});

test.each(FILES.slice(0, 8))("restores %j in the flat format (G29)", (source) => {
  const added = addHook("s.json", source, "Stop", OURS, FLAT)._unsafeUnwrap();
  expect(added).not.toContain('"hooks": [');
  expect(remove(added, FLAT)).toBe(source);
});

test("a new file has no content without its hooks (G29)", () => {
  const file = addHook("s.json", "", "Stop", OURS)._unsafeUnwrap();
  expect(remove(file)).toBe("{}\n");
  const flat = addHook("s.json", "", "Stop", OURS, FLAT)._unsafeUnwrap();
  expect(JSON.parse(flat)).toEqual({ version: 1, hooks: { Stop: [OURS] } });
  expect(remove(flat, FLAT)).toBe('{\n  "version": 1\n}\n');
  expect(isWithoutContent('{\n  "version": 1\n}\n', FLAT)).toBe(true);
  expect(isWithoutContent('{ /* c */ "version": 1 }', FLAT)).toBe(false);
});

describe("keeps", () => {
  const ours = '{"type": "command", "command": "ours"}';

  test.each([
    [
      "a group with a matcher",
      `{"hooks": {"Stop": [{"matcher": "x", "hooks": [${ours}]}]}}`,
      '{"hooks": {"Stop": [{"matcher": "x", "hooks": []}]}}',
    ],
    [
      "a comment in the group",
      `{"hooks": {"Stop": [{"hooks": [ /* mine */ ${ours}]}]}}`,
      '{"hooks": {"Stop": [{"hooks": [ /* mine */]}]}}',
    ],
    [
      "a comment in the event",
      `{"hooks": {"Stop": [\n // mine\n {"hooks": [${ours}]}]}}`,
      '{"hooks": {"Stop": [\n // mine\n ]}}',
    ],
    [
      "the handlers around it",
      `{"hooks": {"Stop": [{"hooks": [{"a": 1}, ${ours}, {"b": 2}, ${ours}]}]}}`,
      '{"hooks": {"Stop": [{"hooks": [{"a": 1}, {"b": 2}]}]}}',
    ],
    [
      "an entry after it on the same line",
      `{\n  "a": 1, // one\n  "hooks": {"Stop": [{"hooks": [${ours}]}]}, "b": 2\n}`,
      '{\n  "a": 1, // one\n  "b": 2\n}',
    ],
    ["a file that does not parse", `{"hooks": {"Stop": [{"hooks": [${ours}]}]}`, undefined],
    ["other events", `{"hooks": {"Other": [{"hooks": [${ours}]}]}}`, undefined],
    ["handlers of another shape", '{"hooks": {"Stop": [{"hooks": "ours"}, "ours", 7]}}', undefined],
  ])("%s (G29)", (_, source, expected = source) => {
    expect(remove(source)).toBe(expected);
  });
});

test("removes a hook from a megabyte of white space and comments in linear time", async () => {
  const space = " \t".repeat(100_000);
  const text = `{"a": [1${space}]${space}, "b": 1 /*${space}*/${space}}`;
  const added = addHook("s.json", text, "Stop", OURS)._unsafeUnwrap();
  expect(await expectLinear(() => remove(added))).toBe(text);
});
