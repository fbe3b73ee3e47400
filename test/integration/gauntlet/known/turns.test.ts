/** What a failed stop leaves for the next stops of the user's turn (G45, G47). */
import { describe, expect, test } from "vitest";
import { KnownProject, recorded, type KnownOptions } from "@test/helpers/gauntlet/knownProject";
import { restoring } from "@test/helpers/restoring";

const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "fine\n", "README.md": "text\n" };
const ADDS = "adds: cat value; grep -q 1 value\n";
const TESTS = `is old: cat old; grep -q 2 old\n${ADDS}is fine: true\n`;
const FILES = { "it.test": TESTS, value: "1\n", old: "1\n", "README.md": "text\n" };
const NODE: KnownOptions = { check: "command: sh node-test.sh\n", files: FILES };
const BROKEN = "2\n";
const LET_GO = "passed_with_warnings";

/** Returns a project in which a test failed that did not fail before. */
const failed = restoring(
  async (): Promise<KnownProject> => {
    const known = await recorded(NODE);
    await known.project.write("value", BROKEN);
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("adds");
    return known;
  },
  ({ project }) => [project.dir]
);

const OTHER = "another: true\n";
const NO_LONGER = "1 test failed earlier in this turn and did not run again";

describe("a new failure of this turn stays unresolved (G45)", () => {
  test.each([
    ["skipped", `skip ${ADDS}`],
    ["marked as one that may fail", `todo ${ADDS}`],
    ["deleted", ""],
    ["renamed and emptied", "adds well: true\n"],
  ])("if its test was %s, and another one was added", async (_, instead) => {
    const known = await failed();
    await known.project.write("it.test", `${TESTS.replace(ADDS, instead)}${OTHER}`);
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain(NO_LONGER);
    await known.project.commit("act");
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).reason).toContain(NO_LONGER);
  });

  test("if it was deleted after the runner was broken, and tests are not named (G46)", async () => {
    const check = "command: \"sh node-test.sh | grep -v '^ok'; exit 1\"\n";
    const known = await recorded({ ...NODE, check });
    await known.project.write("value", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("it.test", "it.test: false\n");
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("it.test", TESTS.replace(ADDS, ""));
    expect((await known.stop()).reason).toContain("2 tests of node-test ran");
  });

  test("if a program is missing in between (G49)", async () => {
    const files = { ...FILES, "check.sh": "env sh node-test.sh\n" };
    const known = await recorded({ check: "command: sh check.sh\n", files });
    const { project } = known;
    await project.write("value", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await project.write("check.sh", "PATH=/nowhere\nenv sh node-test.sh\n");
    expect((await known.stop()).reason).toContain("this looks like the environment");
    await project.write("check.sh", "env sh node-test.sh\n");
    await project.write("it.test", `${TESTS.replace(ADDS, "")}${OTHER}`);
    expect((await known.stop()).reason).toContain(NO_LONGER);
  });

  test("if it is recorded in the meantime, because the commit is of this turn (G44)", async () => {
    const known = await failed();
    await known.project.commit("failure");
    await known.record();
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).status).toBe("failed");
  });
});

describe("an honest fix is let go at once (G45)", () => {
  test("of the code", async () => {
    const known = await failed();
    await known.project.write("value", "1 again\n");
    expect((await known.stop()).status).toBe(LET_GO);
  });

  test("of the test", async () => {
    const known = await failed();
    await known.project.write("it.test", TESTS.replace("1 value", "2 value"));
    expect((await known.stop()).status).toBe(LET_GO);
  });

  test("of a line that was added with the text of an old one (G43)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("a.js", "one\nBAD-old\nthree\nBAD-old\n");
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("a.js", "one\nBAD-old\nthree\nfour\n");
    expect((await known.stop()).status).toBe(LET_GO);
  });

  test("with a `rerun_command` that runs fewer tests, which are not named", async () => {
    const known = await recorded({
      ...NODE,
      check: `command: "sh node-test.sh | grep -v '^ok'"
rerun_command: "sh node-test.sh '*[!e]' | grep -v '^ok'; exit 1"
`.replace(`grep -v '^ok'"`, `grep -v '^ok'; exit 1"`),
    });
    await known.project.write("value", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("value", "1 again\n");
    expect((await known.stop()).status).toBe(LET_GO);
  });
});

test("a test file that is deleted with its feature blocks, because fewer tests ran than recorded (G46)", async () => {
  const files = { ...FILES, "feature.test": "feature: cat feature\n", feature: "1\n" };
  const known = await recorded({ ...NODE, files });
  const { project } = known;
  await project.write("README.md", "more\n");
  expect((await known.stop()).status).toBe(LET_GO);
  await known.newTurn();
  await project.shell("git rm --quiet feature feature.test");
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).toContain("3 tests of node-test ran, and 4 ran when they were recorded");
});

test("known tests that fail differently are let go, and the user reads their number (G45)", async () => {
  const known = await recorded(NODE);
  await known.project.write("old", "other\n");
  const { status, personMessage } = await known.stop();
  expect(status).toBe(LET_GO);
  expect(personMessage).toContain("1 known failure fails differently now");
});

describe("a check that is known by the lines of its output (G45)", () => {
  const SCRIPT = 'echo "something is wrong: $(cat count)"; exit 1\n';
  const LINES: KnownOptions = {
    check: "command: sh check.sh\n",
    files: { "check.sh": SCRIPT, count: "3\n", "a.js": "fine\n", "README.md": "text\n" },
  };

  test("is known if only texts changed", async () => {
    const known = await recorded(LINES);
    await known.project.write("README.md", "more\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe(LET_GO);
    expect(personMessage).toContain("still fails: 1 known failure");
  });

  test("blocks once in a turn if code changed, and then the user reads it", async () => {
    const known = await recorded(LINES);
    await known.project.write("a.js", "changed\n");
    const first = await known.stop();
    expect(first.status).toBe("failed");
    expect(first.reason).toContain("its output is the same as before your change");
    const second = await known.stop();
    expect(second.status).toBe(LET_GO);
    expect(second.personMessage).toContain("only the lines of its output are known");
    await known.newTurn();
    await known.project.write("a.js", "changed again\n");
    expect((await known.stop()).status).toBe("failed");
  });

  test("blocks with a line about another file of the project", async () => {
    const named = 'echo "$PWD/$(cat count).txt is wrong"; exit 1\n';
    const known = await recorded({ ...LINES, files: { ...LINES.files, "check.sh": named } });
    await known.project.write("count", "other\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("./other.txt is wrong");
  });

  test("blocks with another line, and once more without it", async () => {
    const known = await recorded(LINES);
    await known.project.write("count", "4\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("something is wrong: 4");
    await known.stop();
    await known.project.write("count", "3\n");
    await known.project.write("a.js", "changed\n");
    expect((await known.stop()).reason).toContain("its output is the same");
  });
});

describe("the check runs once more (G44, G47)", () => {
  const FLAKY = `is old: echo old; false
is fine: true
is flaky: [ ! -e .git/flaky ] || { rm .git/flaky; echo flaky; false; }
`;

  test("for a failure that occurred in one of the two runs of the record", async () => {
    const known = await KnownProject.create({ ...NODE, files: { "it.test": FLAKY } });
    const { project } = known;
    await project.write(".git/flaky", "");
    expect(await known.record()).toMatchObject([{ kind: "recorded", count: 1, flaky: 1 }]);
    await known.newTurn();
    await project.write(".git/flaky", "");
    await project.write("README.md", "more\n");
    const { status, result } = await known.stop();
    expect(status).toBe(LET_GO);
    expect(result.gates).toMatchObject([{ runs: 2 }]);
  });

  test("for a fixed failure that comes back, and then blocks", async () => {
    const known = await recorded(NODE);
    const { project } = known;
    await project.write("old", "2\n");
    await project.write("value", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.newTurn();
    await project.git("checkout", "--quiet", "value");
    expect((await known.stop()).status).toBe("passed");
    await project.git("checkout", "--quiet", "old");
    await project.write("README.md", "more\n");
    const { status, result } = await known.stop();
    expect(status).toBe("failed");
    expect(result.gates).toMatchObject([{ runs: 2 }]);
  });
});
