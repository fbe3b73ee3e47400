import { expect, test } from "vitest";
import * as calls from "@/node/runtime/remote/exec/supervisorCalls";
import { codeLines, onOneLine } from "@/node/runtime/remote/shellLine";

test.each([
  ["a program", calls.SUPERVISOR],
  ["a program with a log", calls.LOGGED_SUPERVISOR],
])(
  "the script that runs %s is read alike by every login shell, also by csh and fish",
  (_, script) => {
    expect(script.match(/[^ -~]|'|!(?! )|\\(?!["$0-9a-z])/g)).toBeNull();
  }
);

test.each([
  ["12 no space\n", { bytes: 12, words: "no space" }],
  ["12", undefined],
  ["12 no", undefined],
])("reads the report %j about a log only if it is complete", (rest, report) => {
  expect(calls.splitLogReport(`0\nt-logged ${rest}`, "t")).toEqual(["0\n", report]);
});

test("does not send comment lines and blank lines", () => {
  const script = "# a comment\n\n  echo one;\n  # another\n  echo '# two';\n";
  expect(codeLines(script)).toEqual(["  echo one;", "  echo '# two';"]);
  expect(onOneLine(script)).toBe("echo one; echo '# two';");
});
