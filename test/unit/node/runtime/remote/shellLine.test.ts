import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { inputWords, READ_WORDS, remoteLine, shellWord } from "@/node/runtime/remote/shellLine";
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
    test.runIf(has(file))("passes on every word and the rest of the input unchanged", () => {
      for (const words of [AWKWARD, ["plain", "two words", '"$x"', "it's", "! "]]) {
        const line = remoteLine(`${READ_WORDS} printf "%s|" "$@"; cat`);
        expect(line).toMatch(/^[ -~]*$/);
        const input = `${inputWords(words)._unsafeUnwrap()}rest\n`;
        expect(execFileSync(file, [...flags, line], { encoding: "utf8", input })).toBe(
          `${words.join("|")}|rest\n`
        );
      }
    });
  }
);

test("quotes a word for sh, and sends no NUL byte and no words that are too long", () => {
  expect(inputWords(["a\0"])._unsafeUnwrapErr()).toBe("EINVAL");
  expect(inputWords(["x".repeat(130_000)])._unsafeUnwrapErr()).toBe("E2BIG");
  expect(shellWord("it's")).toBe(`'it'\\''s'`);
});
