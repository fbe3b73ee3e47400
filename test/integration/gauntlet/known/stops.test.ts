/** Stops in a project whose checks fail before the agent begins, and what a failed one leaves for the next (G43 to G47). */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { type KnownOptions, knownProject, recorded } from "@test/helpers/gauntlet/knownProject";
import { restoring } from "@test/helpers/restoring";

const SHARED = ".gauntlet/known/it.jsonl";
const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "BAD-other\n", "README.md": "text\n" };

describe("only old failures", () => {
  test("do not block, and the user sees count, commit and date at each stop; in CI they do (G45)", async () => {
    const known = await knownProject({ files: OLD });
    const { project, env } = known;
    const yesterday = new Date(Date.now() - 86_400_000);
    await known.record({ now: () => yesterday });
    await known.newTurn();
    const head = (await project.git("rev-parse", "HEAD")).slice(0, 10);
    const day = yesterday.toISOString().slice(0, 10);
    const text = `check:.:it still fails: 2 known failures, recorded on ${day} at ${head}`;
    await project.write("README.md", "more text\n");
    const first = await known.stop();
    expect(first.status).toBe("passed_with_warnings");
    expect(first.personMessage).toContain(text);
    expect(first.result.gates).toMatchObject([{ outcome: "known", known: { count: 2 } }]);
    expect(await project.state()).toMatchObject({ baselines: {}, partial: true });

    // Without a change they are not looked for again.
    await known.newTurn();
    const unchanged = await known.stop();
    expect(unchanged.result).toMatchObject({ status: "no_changes", gatesRun: 0 });
    expect(unchanged.personMessage).toContain(text);

    // They start no interval.
    await project.write("README.md", "even more text\n");
    const interval = { ...env, GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" };
    const second = await known.stop({ verify: false, env: interval });
    expect(second.status).toBe("passed_with_warnings");
    expect(second.personMessage).toContain(text);
    expect((await project.run({ env: { ...env, CI: "1" } })).status).toBe("failed");
  });

  test("are known in a worktree of the same repository, after an amended commit, and after lines were moved, formatted and renamed (G43, G44)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.git("commit", "--amend", "--quiet", "--message", "other words");
    await project.shell(
      'git branch --force main && git worktree add --quiet "$PWD-other" -b other'
    );
    await project.write("b.js", `${"// new\n".repeat(40)}  ${OLD["b.js"]}`);
    await project.git("mv", "a.js", "renamed.js");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    const other = `${project.dir}-other`;
    await writeFile(`${other}/README.md`, "more\n");
    expect((await known.stop({ cwd: other, sessionId: "t" })).status).toBe("passed_with_warnings");
  });
});

describe("a new failure", () => {
  test("blocks, and is the only one that the agent gets (G45)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("b.js:2:1 Do not use this in line 2 [new]");
    expect(reason).toContain(
      "2 older failures in this log are known and not caused by your change"
    );
    expect(reason).not.toContain("[old]");
    expect(reason).not.toContain("a.js");
    const list = known.project.path("gauntlet_logs/findings_._it.1.txt");
    expect(await readFile(list, "utf8")).toBe("b.js:2:1 Do not use this in line 2 [new]\n");
  });

  test("of a fixed one is tried once more before it blocks, until it is recorded again, also if a fix gets files (G47)", async () => {
    const check = "command: sh lint.sh\nfix: 'true {files}'\n";
    const known = await recorded({ files: OLD, check });
    const { project } = known;
    await project.write("a.js", "one\ntwo\nthree\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await project.write("a.js", OLD["a.js"]);
    await project.write("c.js", "code\n");
    const { status, result } = await known.stop();
    expect(status).toBe("failed");
    expect(result.gates).toMatchObject([{ runs: 2, known: { count: 1 } }]);
    await known.record();
    await known.newTurn();
    await project.write("c.js", "other code\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
  });
});

describe("a check without a record", () => {
  test("that never passed does not block if only texts changed, and the user sees it (G45)", async () => {
    const known = await knownProject({ files: OLD });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    await known.project.write(".claude/settings.local.json", "{}\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("infrastructure_error");
    expect(personMessage).toContain(
      'check:.:it: Exited with code 1; no run of the gates has passed it here, and only texts changed. "mux-stop-hooks known record --gate it"'
    );
    await known.project.write("a.js", "one\nBAD-old\nmore\n");
    const code = await known.stop();
    expect(code.status).toBe("failed");
    expect(code.personMessage).toContain("check:.:it: 2 failures may be older than the change.");
  });

  test("that prints nothing is not offered for a record, which is refused (G45)", async () => {
    const known = await knownProject({ check: "command: exit 1\n" });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    expect((await known.stop()).personMessage).toMatch(
      /only texts changed; the changes were not verified$/m
    );
    await known.project.write("a.js", "code\n");
    const { status, personMessage } = await known.stop();
    expect({ status, personMessage }).toEqual({ status: "failed", personMessage: undefined });
  });

  test("that has passed here blocks although only texts changed (G45)", async () => {
    const known = await knownProject({ check: "command: test ! -e .git/bad\n" });
    await known.newTurn();
    await known.project.write("a.js", "x\n");
    expect((await known.stop()).status).toBe("passed");
    await known.project.write("README.md", "more text\n");
    await known.project.write(".git/bad", "");
    expect((await known.stop()).status).toBe("failed");
  });

  test("that is only the example of init verifies nothing, and the user sees it once (G29)", async () => {
    const config =
      "entry_points:\n  - path: .\n    checks:\n      - conflict-markers: { command: 'true' }\n";
    const known = await knownProject({ config });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("passed");
    expect(personMessage).toContain("nothing of this project was verified");
    await known.project.write("README.md", "even more text\n");
    expect((await known.stop()).personMessage).toBeUndefined();
  });

  test("blocks only if it names a text that changed (G45)", async () => {
    const known = await knownProject({ check: "command: 'cat .git/out; exit 1'\n" });
    const { project } = known;
    for (const [output, status] of [
      ["docs/README.md:3:5 - Unknown word (teh)", "infrastructure_error"],
      ["README.md:1:1: Too short. [Error/length]", "failed"],
      ["README.md:3:5 - Unknown word (teh)", "failed"],
      [`Unknown word in ${project.path("README.md")}.`, "failed"],
    ] as const) {
      await known.newTurn();
      await project.write(".git/out", output);
      await project.write("README.md", output);
      expect([output, (await known.stop()).status]).toEqual([output, status]);
    }
  });
});

/** Returns a project whose record of all failures is committed. */
const shared = restoring(async (options: KnownOptions) => {
  const known = await knownProject(options);
  await known.record({ isShared: true });
  await known.project.commit("record");
  return known;
});

describe("a shared record", () => {
  test("counts as it is in the commit where the turn began, not as the change left it (G44)", async () => {
    const known = await shared({ files: OLD });
    const text = await known.project.read(SHARED);
    expect(text.split("\n").slice(1)).toEqual([...text.split("\n").slice(1, -1)].sort().concat(""));
    await known.newTurn();
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    await known.project.write(
      SHARED,
      text.replace(/\{"file":"b.*\n/, (one) => one + one.replace("other", "new"))
    );
    await known.project.commit("launder");
    expect((await known.stop()).status).toBe("failed");
  });

  test("of two branches that fix one failure each merges without a conflict (G44)", async () => {
    const known = await shared({ files: OLD });
    const { project } = known;
    const [head = "", a = "", b = ""] = (await project.read(SHARED)).split("\n");
    await project.write(SHARED, `${head}\n${b}\n`);
    await project.write("a.js", "fixed\n");
    await project.commit("fix a");
    await project.shell("git switch --quiet --create two HEAD~1");
    await project.write(SHARED, `${head}\n${a}\n`);
    await project.write("b.js", "fixed\n");
    await project.commit("fix b");
    await project.git("merge", "--quiet", "--no-edit", "work");
    // git keeps both of two adjacent lines, so these are found as fixed.
    expect(await project.read(SHARED)).toBe(`${head}\n${a}\n${b}\n`);
    expect((await project.run({ env: known.env, all: true })).status).toBe("passed");
    const { stdout } = await agentGauntlet(project, ["known", "prune"], { env: known.env });
    expect(stdout).toBe("check:.:it: 2 failures removed that no longer occur\n");
    expect(await project.read(SHARED)).toBe(`${head}\n`);
  });

  test("with a failure that no longer occurs fails in CI, and names the command (G45)", async () => {
    const known = await shared({ files: OLD });
    const env = { ...known.env, CI: "1" };
    await known.project.write("a.js", "fixed\n");
    const one = await known.project.run({ env });
    expect(one.gates[0]?.explanation?.text).toBe(
      '1 failure of .gauntlet/known/it.jsonl no longer occurs; run "mux-stop-hooks run --all --gate it", then "mux-stop-hooks known prune --gate it", and commit the file'
    );
    await known.project.write("b.js", "fixed\n");
    const all = await known.project.run({ env });
    expect(all.status).toBe("failed");
    expect(all.gates[0]?.explanation?.text).toContain(
      "2 failures of .gauntlet/known/it.jsonl no longer occur;"
    );
  });

  test("of a check that compares with a commit may no longer occur in CI (G45, G47)", async () => {
    const known = await shared({ files: OLD, check: "command: sh lint.sh {base}\n" });
    for (const file of ["a.js", "b.js"]) await known.project.write(file, "fixed\n");
    expect((await known.project.run({ env: { ...known.env, CI: "1" } })).status).toBe("passed");
  });
});

const ADDS = "adds: cat value; grep -q 1 value\n";
const TESTS = `is old: cat old; grep -q 2 old\n${ADDS}is fine: true\n`;
const FILES = { "it.test": TESTS, value: "1\n", old: "1\n", "README.md": "text\n" };
const NODE: KnownOptions = { check: "command: sh node-test.sh\n", files: FILES };
const BROKEN = "2\n";
const LET_GO = "passed_with_warnings";

/** Returns a project in which a test failed that did not fail before. */
const failed = restoring(async () => {
  const known = await recorded(NODE);
  await known.project.write("value", BROKEN);
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).toContain("adds");
  return known;
});

const OTHER = "another: true\n";
const NO_LONGER = "1 test failed earlier in this turn and did not run again";

describe("a new failure of this turn stays unresolved (G45)", () => {
  test("if its test was skipped, or renamed and emptied, and another one was added", async () => {
    const known = await failed();
    for (const instead of [`skip ${ADDS}`, "adds well: true\n"]) {
      await known.project.write("it.test", `${TESTS.replace(ADDS, instead)}${OTHER}`);
      const { status, reason } = await known.stop();
      expect(status).toBe("failed");
      expect(reason).toContain(NO_LONGER);
    }
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
  test.each([
    ["code", "value", "1 again\n"],
    ["test", "it.test", TESTS.replace("1 value", "2 value")],
  ])("of the %s", async (_, path, text) => {
    const known = await failed();
    await known.project.write(path, text);
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

test("a failed test that is only counted in the output blocks (G46)", async () => {
  const output = (failed: number): string =>
    `FAILED test_a.py::test_old - assert 0\n${failed} failed, ${5 - failed} passed in 0.01s\n`;
  const files = { "check.sh": "cat out\nexit 1\n", out: output(1), "README.md": "text\n" };
  const known = await recorded({ check: "command: sh check.sh\n", files });
  await known.project.write("README.md", "more\n");
  expect((await known.stop()).status).toBe(LET_GO);
  await known.project.write("out", output(2));
  expect((await known.stop()).reason).toContain("pytest counted more failed tests than it named");
});

test("known tests that fail differently are let go, and the user reads their number (G45)", async () => {
  const known = await recorded(NODE);
  await known.project.write("old", "other\n");
  const { status, personMessage } = await known.stop();
  expect(status).toBe(LET_GO);
  expect(personMessage).toContain("1 known failure fails differently now");
});

const GO = `ok  \tm.org/b\t0.01s
--- FAIL: TestA (0.00s)
    a_test.go:5: waits
LINES
FAIL\tm.org/a\t0.01s`;
const PYTEST = `___ test_a ___
a.py:LINES
=== short test summary info ===
FAILED test_a.py::test_a - E
=== 1 failed, 1 passed in 0.01s ===`;

test("a known test of go test or pytest may fail elsewhere and print more; a new one blocks (G43)", async () => {
  const known = await recorded({
    config: `max_retries: 9
entry_points: [{ path: ., checks: [go: { command: "! cat go" }, py: { command: "! cat py" }] }]
`,
    files: { go: GO.replace("LINES", "    a_test.go:9: 1"), py: PYTEST.replace("LINES", "3: E") },
  });
  const go = GO.replace("LINES", "    a_test.go:6: waits\n    a_test.go:8: 2");
  const py = PYTEST.replace("LINES", "3: in f\nb.py:1: E");
  await known.project.write("go", go);
  await known.project.write("py", py);
  expect((await known.stop()).status).toBe(LET_GO);
  await known.project.write("go", go.replace("TestA", "TestB"));
  await known.project.write("py", py.replace("test_a -", "test_b -"));
  const { gates } = (await known.stop()).result;
  // A doubt about the whole output would be explained.
  const failed = ["failed", undefined];
  expect(gates.map((gate) => [gate.outcome, gate.explanation])).toEqual([failed, failed]);
});

test("a check that is known by the lines of its output is let go if only texts changed, and blocks once in a turn if code changed (G45)", async () => {
  const script = 'echo "something is wrong: $(cat count)"; exit 1\n';
  const known = await recorded({
    check: "command: sh check.sh\n",
    files: { "check.sh": script, count: "3\n", "a.js": "fine\n", "README.md": "text\n" },
  });
  const { project } = known;
  await project.write("README.md", "more\n");
  const texts = await known.stop();
  expect(texts.status).toBe(LET_GO);
  expect(texts.personMessage).toContain("still fails: 1 known failure");

  await project.write("count", "4\n");
  expect((await known.stop()).reason).toContain("something is wrong: 4");
  await project.write("count", "3\n");
  await project.write("a.js", "changed\n");
  expect((await known.stop()).reason).toContain("its output is the same as before your change");
  const second = await known.stop();
  expect(second.status).toBe(LET_GO);
  expect(second.personMessage).toContain("only the lines of its output are known");
  await known.newTurn();
  await project.write("a.js", "changed again\n");
  expect((await known.stop()).status).toBe("failed");
});

test("the check runs once more for a failure that occurred in one of the two runs of the record (G44, G47)", async () => {
  const flaky = `is old: echo old; false
is fine: true
is flaky: [ ! -e .git/flaky ] || { rm .git/flaky; echo flaky; false; }
`;
  const known = await knownProject({ ...NODE, files: { "it.test": flaky } });
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
