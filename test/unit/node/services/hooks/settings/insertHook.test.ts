import { expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { addHook } from "@/node/services/hooks/settings/editHooks";
import { expectLinear } from "@test/helpers/process/cpuTime";

const HANDLER = { type: "builtin", name: "gauntlet" };

function add(source: string): string {
  return addHook("s.json", source, "Stop", HANDLER)._unsafeUnwrap();
}

function refusal(source: string): string {
  return formatDiagnostic(addHook("s.json", source, "Stop", HANDLER)._unsafeUnwrapErr());
}

test.each(["", " \n\n", "{}", "{}\n", "{ }\n", "\n"])("turns %j into a complete file", (source) => {
  expect(add(source).trimEnd()).toBe(`{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "builtin",
            "name": "gauntlet"
          }
        ]
      }
    ]
  }
}`);
});

test("keeps a comment behind the value that it describes", () => {
  expect(
    add(`{
  // first
  "a": 1, // one
  "hooks": {
    "Stop": [
      { "hooks": [] } // mine
      // and no more
    ] /* of hooks */
  } // end
}
`)
  ).toBe(`{
  // first
  "a": 1, // one
  "hooks": {
    "Stop": [
      { "hooks": [] }, // mine
      // and no more
      {
        "hooks": [
          {
            "type": "builtin",
            "name": "gauntlet"
          }
        ]
      }
    ] /* of hooks */
  } // end
}
`);
});

test("keeps tabs, Windows line ends, a byte-order mark and a trailing comma", () => {
  const source =
    '\uFEFF{\r\n\t"a": [1,2],\r\n\t"hooks": {\r\n\t\t"Other": [], // x\r\n\t},\r\n}\r\n';
  expect(add(source)).toBe(
    [
      '\uFEFF{\r\n\t"a": [1,2],\r\n\t"hooks": {\r\n\t\t"Other": [], // x',
      '\t\t"Stop": [',
      "\t\t\t{",
      '\t\t\t\t"hooks": [',
      "\t\t\t\t\t{",
      '\t\t\t\t\t\t"type": "builtin",',
      '\t\t\t\t\t\t"name": "gauntlet"',
      "\t\t\t\t\t}",
      "\t\t\t\t]",
      "\t\t\t}",
      "\t\t],",
      "\t},\r\n}\r\n",
    ].join("\r\n")
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
  expect(
    add(`{
  "hooks": {
    "Stop": [{
      "hooks": []
    }]
  }
}
`)
  ).toBe(`{
  "hooks": {
    "Stop": [{
      "hooks": []
    },
      {
        "hooks": [
          {
            "type": "builtin",
            "name": "gauntlet"
          }
        ]
      }
    ]
  }
}
`);
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
