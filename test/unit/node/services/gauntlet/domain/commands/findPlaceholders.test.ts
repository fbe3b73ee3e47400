import { describe, expect, test } from "vitest";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import { expectLinear } from "@test/helpers/process/cpuTime";

describe("placeholders in a command (G32)", () => {
  test.each([
    "eslint {files}",
    "{files}",
    "eslint {files} && prettier --check {files}",
    "(cd x; lint {files})",
    'test -z "$(gofmt -l {files})"',
    'echo "it\'s"; lint {files}',
    "echo 'a\"b' $'c\\'d' \\\" ; lint {files}|sort",
    "# don't\nlint {files}",
    'echo ${#a} ${b:-"c d"} $((1 << 2)); lint {files}',
    "cat <<<x; lint {files}",
    "a=(); lint {files}",
  ])("%j gets files", (command) => {
    const parts = command.split("{files}");
    expect(parseCommand(command)).toEqual({ placeholder: "{files}", parts });
  });

  test.each(["npm test", "echo ${files} ${files0}", "echo {file} \\{files}", "# {files}\nlint ."])(
    "%j gets none",
    (command) => {
      expect(parseCommand(command)).toEqual({ parts: [command] });
    }
  );

  test("{files0} is removed", () => {
    expect(parseCommand("xargs -0 lint {files0}")).toEqual({
      placeholder: "{files0}",
      parts: ["xargs -0 lint ", ""],
    });
  });

  test.each([
    ['lint "{files}"', "word"],
    ["bash -c 'lint {files}'", "word"],
    ["lint $'{files}'", "word"],
    ['lint "$(echo "{files}")"', "word"],
    ["lint `echo {files}`", "word"],
    ["lint ${x:-{files}}", "word"],
    ["lint --in={files}", "word"],
    ["lint {files}.bak", "word"],
    ["lint 'open {files}", "word"],
    ["xargs -0 lint {files0}; lint {files}", "both"],
    ["f() { lint {files}; }; f", "scope"],
    ["function f { lint {files}; }; f", "scope"],
    ["echo $((1)); cat <<EOF; lint {files}\nit's\nEOF", "scope"],
  ])("%j has a fault: %s", (command, fault) => {
    expect(parseCommand(command).fault).toBe(fault);
  });

  test("reads the longest command in linear time", async () => {
    for (const text of ["'", '"', "$(", "`", "(", "\\", "{files}", "${", "#", "<<"]) {
      await expectLinear(() => parseCommand(text.repeat(65_536 / text.length)));
    }
  });
});
