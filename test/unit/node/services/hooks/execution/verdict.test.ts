import { describe, expect, test } from "vitest";
import { KIB } from "@/common/limits";
import { launchFailureOf, quotingHint } from "@/node/services/hooks/execution/verdict";
import { expectLinear } from "@test/helpers/process/cpuTime";

describe("launchFailureOf (H19a)", () => {
  test.each([
    "python3: can't open file '/w/nope.py': [Errno 2] No such file or directory",
    `Can't open perl script "nope.pl": No such file or directory`,
    "sh: 0: cannot open nope.sh: No such file",
    "sh: 1: cd: can't cd to /nonexistent",
    "bash: -c: line 1: syntax error: unexpected end of file",
    "make: *** [Makefile:2: lint] Error 1",
    "usage: check.py [-h] --level LEVEL\ncheck.py: error: the following arguments are required: --level",
    "grep: nope.txt: No such file or directory",
    "ls: unrecognized option '--nope'",
  ])("%j is a failed launch", (stderr) => {
    expect(launchFailureOf("project:Stop[0]", stderr)).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each(["", "Please run the tests before stopping", "3 tests failed\nsee report.txt"])(
    "%j is a verdict",
    (stderr) => {
      expect(launchFailureOf("project:Stop[0]", stderr)).toBeUndefined();
    }
  );

  test("returns equal names for the same failure of the same hook", () => {
    const nameOf = (hook: number, folder: string) =>
      launchFailureOf(`project:Stop[${hook}]`, `sh: 1: cd: can't cd to ${folder}`);
    expect(nameOf(0, "/a\n")).toBe(nameOf(0, "/a"));
    expect(nameOf(1, "/a")).not.toBe(nameOf(0, "/a"));
    expect(nameOf(0, "/b")).not.toBe(nameOf(0, "/a"));
  });
});

describe("quotingHint (H15)", () => {
  test("returns undefined if a shell keeps the path whole, or if the command line quotes it", () => {
    expect(quotingHint("$MUX_PROJECT_DIR/check.sh", "/home/me/project")).toBeUndefined();
    expect(quotingHint("$MUX_PROJECT_DIR/check.sh", "/home/$me/it's")).toBeUndefined();
    expect(quotingHint('"$MUX_PROJECT_DIR"/check.sh', "/home/me/my project")).toBeUndefined();
    expect(quotingHint('sh -e "$MUX_PROJECT_DIR/check.sh"', "/home/me/my project")).toBeUndefined();
    expect(quotingHint('echo "in $MUX_PROJECT_DIR"', "/home/me/my project")).toBeUndefined();
    expect(quotingHint("./check.sh", "/home/me/my project")).toBeUndefined();
  });
});

test.each(["usage: \n", "can't open file ", "cannot open ", "make[1", "\u001b#;?;", "syntax "])(
  "recognizes a failed launch in endless %j in linear time (H20a)",
  async (unit) => {
    const stderr = unit.repeat((KIB * KIB) / unit.length);
    await expectLinear(() => launchFailureOf("h", stderr));
  }
);

test("reads a command line with an unclosed quote in linear time (H20a)", async () => {
  await expectLinear(() => quotingHint(`"${'\\"'.repeat(256 * KIB)}`, "/a b"));
});
