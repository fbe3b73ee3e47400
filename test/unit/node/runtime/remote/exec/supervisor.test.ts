import { expect, test } from "vitest";
import { LOGGED_SUPERVISOR, SUPERVISOR } from "@/node/runtime/remote/exec/supervisor";
import { codeLines, onOneLine, remoteLine } from "@/node/runtime/remote/shellLine";

test.each([
  ["a program", SUPERVISOR],
  ["a program with a log", LOGGED_SUPERVISOR],
])("sends the script that runs %s unchanged, without an escape", (_, script) => {
  const line = remoteLine(script, [])._unsafeUnwrap();
  expect(line).toBe(`exec sh -c '${script}' 'sh'`);
});

test("does not send comment lines and blank lines", () => {
  const script = "# a comment\n\n  echo one;\n  # another\n  echo '# two';\n";
  expect(codeLines(script)).toEqual(["  echo one;", "  echo '# two';"]);
  expect(onOneLine(script)).toBe("echo one; echo '# two';");
});
