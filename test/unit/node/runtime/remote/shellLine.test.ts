import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { remoteLine, shellWord } from "@/node/runtime/remote/shellLine";
import { has } from "@scripts/programs.mjs";

const AWKWARD = [
  "",
  "-n",
  "a b",
  "new\nline\n",
  "'\"`$HOME\\",
  "!x !",
  "grün 🎉",
  "*",
  "\t\x01\x7f",
  "\\\\'",
];

const LOGIN_SHELLS = [
  ["dash", "-c"],
  ["bash", "-c"],
  ["busybox", "sh", "-c"],
  ["zsh", "-c"],
] as const;

describe.each(LOGIN_SHELLS.map(([file, ...flags]) => ({ file, flags })))(
  "$file as a login shell",
  ({ file, flags }) => {
    test.runIf(has(file))("passes every argument on unchanged", () => {
      for (const args of [AWKWARD, ["plain", "two words", '"$x"', "it's", "! "]]) {
        const line = remoteLine('printf "%s|" "$@"', args)._unsafeUnwrap();
        expect(line).toMatch(/^[ -~]*$/);
        expect(execFileSync(file, [...flags, line], { encoding: "utf8" })).toBe(
          `${args.join("|")}|`
        );
      }
    });
  }
);

test("rejects a NUL byte and a line that is too long", () => {
  expect(remoteLine("true", ["a\0"])._unsafeUnwrapErr().code).toBe("EINVAL");
  expect(remoteLine("true", ["x".repeat(130_000)])._unsafeUnwrapErr().code).toBe("E2BIG");
});

test("quotes a word for sh", () => {
  expect(shellWord("it's")).toBe(`'it'\\''s'`);
});
