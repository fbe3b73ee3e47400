/** What a failed stop leaves for the next stops of the user's turn (G45, G47). */
import { describe, expect, test } from "vitest";
import { KnownProject, type KnownOptions } from "@test/helpers/gauntlet/knownProject";

const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "fine\n", "README.md": "text\n" };
const ADDS = 'test("adds", () => assert.equal(require("./value.js"), 1));\n';
const TESTS = `const test = require("node:test");
const assert = require("node:assert");
test("is old", () => assert.equal(require("./old.js"), 2));
${ADDS}test("is fine", () => {});
`;
const FILES = {
  ...{ "it.test.js": TESTS, "value.js": "module.exports = 1;\n" },
  ...{ "old.js": "module.exports = 1;\n", "README.md": "text\n" },
};
const NODE: KnownOptions = { check: "command: node --test\n", files: FILES };
const BROKEN = "module.exports = 2;\n";
const LET_GO = "passed_with_warnings";

async function recorded(options: KnownOptions): Promise<KnownProject> {
  const known = await KnownProject.create(options);
  expect(await known.record()).toMatchObject([{ kind: "recorded" }]);
  await known.newTurn();
  return known;
}

/** Returns a project in which a test failed that did not fail before. */
async function failed(): Promise<KnownProject> {
  const known = await recorded(NODE);
  await known.project.write("value.js", BROKEN);
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).toContain("adds");
  return known;
}

const OTHER = 'test("another", () => {});\n';
const NO_LONGER = "1 test failed earlier in this turn and did not run again";

describe("a new failure of this turn stays unresolved (G45)", () => {
  test.each([
    ["skipped", ADDS.replace("test(", "test.skip(")],
    ["marked as one that may fail", ADDS.replace("() =>", "{ todo: true }, () =>")],
    ["deleted", ""],
    ["renamed and emptied", 'test("adds well", () => {});\n'],
  ])("if its test was %s, and another one was added", async (_, instead) => {
    const known = await failed();
    await known.project.write("it.test.js", `${TESTS.replace(ADDS, instead)}${OTHER}`);
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain(NO_LONGER);
    await known.project.commit("act");
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).reason).toContain(NO_LONGER);
  });

  test("if it was deleted after the runner was broken, and tests are not named (G46)", async () => {
    const check = "command: \"node --test | grep -v '^ok'; exit 1\"\n";
    const known = await recorded({ ...NODE, check });
    await known.project.write("value.js", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("it.test.js", `process.exit(1);\n`);
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("it.test.js", TESTS.replace(ADDS, ""));
    expect((await known.stop()).reason).toContain("2 tests of node-test ran");
  });

  test("if a program is missing in between (G49)", async () => {
    const files = { ...FILES, "check.sh": "node --test\n" };
    const known = await recorded({ check: "command: sh check.sh\n", files });
    const { project } = known;
    await project.write("value.js", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await project.write("check.sh", "PATH=/nowhere\nnode --test\n");
    expect((await known.stop()).reason).toContain("this looks like the environment");
    await project.write("check.sh", "node --test\n");
    await project.write("it.test.js", `${TESTS.replace(ADDS, "")}${OTHER}`);
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
    await known.project.write("value.js", "module.exports = 1; // again\n");
    expect((await known.stop()).status).toBe(LET_GO);
  });

  test("of the test", async () => {
    const known = await failed();
    await known.project.write(
      "it.test.js",
      TESTS.replace('("./value.js"), 1', '("./value.js"), 2')
    );
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
      check: `command: "node --test | grep -v '^ok'"
rerun_command: "node --test --test-name-pattern=old --test-name-pattern=adds | grep -v '^ok'; exit 1"
`.replace(`grep -v '^ok'"`, `grep -v '^ok'; exit 1"`),
    });
    await known.project.write("value.js", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("value.js", "module.exports = 1; // again\n");
    expect((await known.stop()).status).toBe(LET_GO);
  });
});

test("a test file that is deleted with its feature blocks, because fewer tests ran than recorded (G46)", async () => {
  const feature = `const test = require("node:test");
test("feature", () => require("./feature.js"));
`;
  const files = { ...FILES, "feature.test.js": feature, "feature.js": "1;\n" };
  const known = await recorded({ ...NODE, files });
  const { project } = known;
  await project.write("README.md", "more\n");
  expect((await known.stop()).status).toBe(LET_GO);
  await known.newTurn();
  await project.shell("git rm --quiet feature.js feature.test.js");
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).toContain("3 tests of node-test ran, and 4 ran when they were recorded");
});

test("known tests that fail differently are let go, and the user reads their number (G45)", async () => {
  const known = await recorded(NODE);
  await known.project.write("old.js", 'throw new Error("other");\n');
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
  const FLAKY = `const { existsSync, rmSync } = require("node:fs");
const test = require("node:test");
test("is old", () => { throw new Error("old"); });
test("is fine", () => {});
test("is flaky", () => {
  if (!existsSync(".git/flaky")) return;
  rmSync(".git/flaky");
  throw new Error("flaky");
});
`;

  test("for a failure that occurred in one of the two runs of the record", async () => {
    const known = await KnownProject.create({ ...NODE, files: { "it.test.js": FLAKY } });
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
    await project.write("old.js", "module.exports = 2;\n");
    await project.write("value.js", BROKEN);
    expect((await known.stop()).status).toBe("failed");
    await known.newTurn();
    await project.git("checkout", "--quiet", "value.js");
    expect((await known.stop()).status).toBe("passed");
    await project.git("checkout", "--quiet", "old.js");
    await project.write("README.md", "more\n");
    const { status, result } = await known.stop();
    expect(status).toBe("failed");
    expect(result.gates).toMatchObject([{ runs: 2 }]);
  });
});
