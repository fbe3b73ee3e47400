/** Edits of the text of a settings file, which keep every other byte. */
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import * as editing from "@/node/services/hooks/settings/editHooks";
import { parseSettings } from "@/node/services/hooks/settings/parseSettings";
import { expectLinear } from "@test/helpers/process/cpuTime";

describe("a hook that is added", () => {
  const HANDLER = { type: "builtin", name: "gauntlet" };

  function add(source: string): string {
    return editing.addHook("s.json", source, "Stop", HANDLER)._unsafeUnwrap();
  }

  function refusal(source: string): string {
    return formatDiagnostic(editing.addHook("s.json", source, "Stop", HANDLER)._unsafeUnwrapErr());
  }

  /** The entry that is added, below a first line that is indented by so many blanks. */
  const entry = (by: number): string =>
    `{
  "hooks": [
    {
      "type": "builtin",
      "name": "gauntlet"
    }
  ]
}`.replaceAll("\n", `\n${" ".repeat(by)}`);

  test.each(["", " \n\n", "{}", "{}\n", "{ }\n", "\n"])(
    "turns %j into a complete file",
    (source) => {
      expect(add(source).trimEnd()).toBe(
        `{\n  "hooks": {\n    "Stop": [\n      ${entry(6)}\n    ]\n  }\n}`
      );
    }
  );

  test("keeps a comment behind the value that it describes", () => {
    const source = `{
  // first
  "a": 1, // one
  "hooks": {
    "Stop": [
      { "hooks": [] } // mine
      // and no more
    ] /* of hooks */
  } // end
}
`;
    expect(add(source)).toBe(
      source.replace("} // mine", "}, // mine").replace("no more\n", `no more\n      ${entry(6)}\n`)
    );
  });

  test("keeps tabs, Windows line ends, a byte-order mark and a trailing comma", () => {
    const source =
      '\uFEFF{\r\n\t"a": [1,2],\r\n\t"hooks": {\r\n\t\t"Other": [], // x\r\n\t},\r\n}\r\n';
    const lines = `\t\t"Stop": [\n\t\t\t${entry(6)}\n\t\t],\n\t},\n}\n`;
    expect(add(source)).toBe(
      source.replace("\t},\r\n}\r\n", lines.replaceAll("  ", "\t").replaceAll("\n", "\r\n"))
    );
  });

  const ONE_LINE = '{ "hooks": [ { "type": "builtin", "name": "gauntlet" } ] }';

  test.each([
    ['{"a":1}', `{"a":1, "hooks": { "Stop": [ ${ONE_LINE} ] }}`],
    ['{ "a": 1, /* c */ }', `{ "a": 1, /* c */ "hooks": { "Stop": [ ${ONE_LINE} ] }, }`],
    ['{"hooks":{"Stop":[]}}', `{"hooks":{"Stop":[${ONE_LINE}]}}`],
    [
      '{\n  "hooks": { "Stop": [{ "hooks": [] }] }\n}',
      `{\n  "hooks": { "Stop": [{ "hooks": [] }, ${ONE_LINE}] }\n}`,
    ],
  ])("keeps %j on its line", (source, expected) => {
    expect(add(source)).toBe(expected);
  });

  test("indents below the list if its last entry begins in the middle of a line", () => {
    const source = '{\n  "hooks": {\n    "Stop": [{\n      "hooks": []\n    }]\n  }\n}\n';
    expect(add(source)).toBe(source.replace("}]", `},\n      ${entry(6)}\n    ]`));
  });

  test("adds no entry twice, although another process may have added it since the file was read (G29)", () => {
    const once = add('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}');
    expect(add(once)).toBe(once);
  });

  test("edits the last value of a duplicate key, which is the one that counts", () => {
    const edited = add('{"hooks": {"Stop": []}, "hooks": {"Stop": []}}');
    expect(edited).toBe(`{"hooks": {"Stop": []}, "hooks": {"Stop": [${ONE_LINE}]}}`);
  });

  test("edits a megabyte of white space and comments in linear time", async () => {
    const space = " \t".repeat(100_000);
    const text = `{"a": [${space}1${space}]${space}/*${space}*/}`;
    expect(await expectLinear(() => add(text))).toContain("gauntlet");
  });

  test.each([
    ['{\n  "a": 1,,\n}', "s.json:2:10: "],
    ['{"hooks": []}', "s.json:1:11: hooks: expected an object, found a list"],
    ['{"hooks": null}', "s.json:1:11: hooks: expected an object, found null"],
    ['{"hooks": {"Stop": "x"}}', 's.json:1:20: hooks.Stop: expected a list, found "x"'],
    ["[]", "s.json:1:1: expected an object, found a list"],
    ["// nothing\n", "s.json:2:1: "],
    ["[".repeat(100_000), "s.json:1:101: it is nested deeper than 100 levels"],
    [`[${"1,".repeat(40_000)}]`, "s.json:1:80000: it has more than 40000 values"],
  ])("rejects %.40j with its position", (source, message) => {
    expect(refusal(source)).toContain(message);
  });
});

describe("a key that is set", () => {
  function setTop(source: string, value = true): string {
    return editing.setTopLevelKey("s.json", source, "importClaudeHooks", value)._unsafeUnwrap();
  }

  /** Sets `enabled` of the nth handlers of the file. */
  function setEnabled(source: string, handlers: readonly number[], value: boolean): string {
    const { hooks } = parseSettings("s.json", source)._unsafeUnwrap();
    const places = handlers.map((n) => hooks[n]!);
    return editing.setHandlerKey("s.json", source, places, "enabled", value)._unsafeUnwrap();
  }

  test.each(["", " \n", "\uFEFF"])("turns %j into a complete file", (source) => {
    expect(setTop(source)).toBe('{\n  "importClaudeHooks": true\n}\n');
  });

  test("keeps comments, order and the format of the file, and replaces a value where it is", () => {
    expect(setTop('{\r\n\t// one\r\n\t"a": 1, // two\r\n}\r\n')).toBe(
      '{\r\n\t// one\r\n\t"a": 1, // two\r\n\t"importClaudeHooks": true,\r\n}\r\n'
    );
    expect(setTop('\uFEFF{ "a": [1] /* one */ }')).toBe(
      '\uFEFF{ "a": [1], /* one */ "importClaudeHooks": true }'
    );
    expect(setTop('{\n  "importClaudeHooks": /* no */ false,\n  "b": 2\n}')).toBe(
      '{\n  "importClaudeHooks": /* no */ true,\n  "b": 2\n}'
    );
  });

  test("sets a key of several handlers, and of no other", () => {
    const source = `{
  "hooks": {
    "Stop": [
      // both
      { "hooks": [{ "type": "command", "command": "a" }, { "type": "command", "command": "b", "enabled": true }] },
      {
        "hooks": [
          {
            "type": "command",
            "command": "c" // last
          }
        ]
      }
    ]
  }
}
`;
    expect(setEnabled(source, [0, 1, 2], false)).toBe(
      source
        .replace('"a" }', '"a", "enabled": false }')
        .replace("true", "false")
        .replace('"c" // last', '"c", // last\n            "enabled": false')
    );
    expect(setEnabled(source, [], false)).toBe(source);
  });

  test.each([
    ["{", "s.json:1:2: close brace expected at the end of the file"],
    ["[]", "s.json:1:1: expected an object, found a list"],
  ])("does not change %j", (source, problem) => {
    const edited = editing.setTopLevelKey("s.json", source, "a", true);
    expect(formatDiagnostic(edited._unsafeUnwrapErr())).toBe(problem);
  });
});

describe("a hook that is removed", () => {
  const OURS = { type: "command", command: "ours" };
  const FLAT: editing.HookFormat = {
    isGrouped: false,
    commandKey: "bash",
    emptyFile: { version: 1 },
  };
  const isOurs = ({ command }: Record<string, unknown>): boolean => command === "ours";

  function remove(source: string, format?: editing.HookFormat): string {
    return editing.removeHooks(source, "Stop", isOurs, format);
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

  test.each(FILES)(
    "restores %j after one hook, after two, and in the flat format (G29)",
    (source) => {
      const added = editing.addHook("s.json", source, "Stop", OURS)._unsafeUnwrap();
      expect(added).not.toBe(source);
      expect(remove(added)).toBe(source);
      const both = editing.addHook("s.json", added, "Begin", OURS)._unsafeUnwrap();
      expect(editing.removeHooks(remove(both), "Begin", isOurs)).toBe(source);
      const flat = editing.addHook("s.json", source, "Stop", OURS, FLAT)._unsafeUnwrap();
      expect(remove(flat, FLAT)).toBe(source);
    }
  );

  test("a new file has no content without its hooks (G29)", () => {
    const file = editing.addHook("s.json", "", "Stop", OURS)._unsafeUnwrap();
    expect(remove(file)).toBe("{}\n");
    const flat = editing.addHook("s.json", "", "Stop", OURS, FLAT)._unsafeUnwrap();
    expect(JSON.parse(flat)).toEqual({ version: 1, hooks: { Stop: [OURS] } });
    expect(remove(flat, FLAT)).toBe('{\n  "version": 1\n}\n');
    expect(editing.isWithoutContent('{\n  "version": 1\n}\n', FLAT)).toBe(true);
    expect(editing.isWithoutContent('{ /* c */ "version": 1 }', FLAT)).toBe(false);
  });

  const ours = '{"type": "command", "command": "ours"}';
  const inStop = (groups: string): string => `{"hooks": {"Stop": [${groups}]}}`;

  test.each([
    [
      "a group with a matcher",
      `{"matcher": "x", "hooks": [${ours}]}`,
      '{"matcher": "x", "hooks": []}',
    ],
    ["a comment in the group", `{"hooks": [ /* mine */ ${ours}]}`, '{"hooks": [ /* mine */]}'],
    ["a comment in the event", `\n // mine\n {"hooks": [${ours}]}`, "\n // mine\n "],
    [
      "the handlers around it",
      `{"hooks": [1, ${ours}, {"b": 2}, ${ours}]}`,
      '{"hooks": [1, {"b": 2}]}',
    ],
  ])("keeps %s (G29)", (_, groups, left) => {
    expect(remove(inStop(groups))).toBe(inStop(left));
  });

  test.each([
    [
      `{\n  "a": 1, // one\n  "hooks": {"Stop": [{"hooks": [${ours}]}]}, "b": 2\n}`,
      '{\n  "a": 1, // one\n  "b": 2\n}',
    ],
    // It leaves no space at the end of a comment.
    [`{"a": 1, // one\n"hooks": {"Stop": [{"hooks": [${ours}]}]} ,\n}`, '{"a": 1, // one\n}'],
  ])("keeps what is around it in %j (G29)", (source, left) => {
    expect(remove(source)).toBe(left);
  });

  test.each([
    ["a file that does not parse", inStop(`{"hooks": [${ours}]}`).slice(0, -1)],
    ["other events", `{"hooks": {"Other": [{"hooks": [${ours}]}]}}`],
    ["handlers of another shape", inStop('{"hooks": "ours"}, "ours", 7')],
  ])("does not change %s (G29)", (_, source) => {
    expect(remove(source)).toBe(source);
  });

  test("removes a hook from a megabyte of white space and comments in linear time", async () => {
    const space = " \t".repeat(100_000);
    const text = `{"a": [1${space}]${space}, "b": 1 /*${space}*/${space}}`;
    const added = editing.addHook("s.json", text, "Stop", OURS)._unsafeUnwrap();
    expect(await expectLinear(() => remove(added))).toBe(text);
  });
});

describe("the handlers of an event", () => {
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
    expect(editing.listHandlers(TEXT, "Stop")).toMatchObject([
      { line: 6, command: "old", fields: { type: "command", command: "old", timeout: 3 } },
      { line: 9, command: "other" },
      { line: 10, command: "old" },
    ]);
    expect(editing.listHandlers(TEXT, "UserPromptSubmit")).toMatchObject([
      { line: 4, command: "old" },
    ]);
  });

  test("replaces and adds values of fields, and keeps every other byte (G29)", () => {
    const edited = editing.replaceFields(TEXT, "Stop", ({ command }) =>
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
      expect(editing.listHandlers(text, "Stop")).toEqual([]);
      expect(editing.replaceFields(text, "Stop", () => ({ command: "new" }))).toBe(text);
    }
  );
});
