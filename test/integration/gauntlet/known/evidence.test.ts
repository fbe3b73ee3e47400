/** What runs show besides findings: that a check cannot work on this machine (G49), and tests that no longer run (G48). */
import { describe, expect, test, vi } from "vitest";
import { KnownProject, type KnownOptions } from "@test/helpers/gauntlet/knownProject";
import { restoring } from "@test/helpers/restoring";

const MISSING = "frobnicate .\n";
const LET_GO = "infrastructure_error";

const project = restoring(async (script: string, files: Readonly<Record<string, string>> = {}) => {
  const known = await KnownProject.create({
    check: "command: sh check.sh\n",
    files: { "check.sh": script, "a.js": "fine\n", ...files },
  });
  await known.newTurn();
  await known.project.write("a.js", "changed\n");
  return known;
});

/** Expects that a stop sends the agent back as for any failure, so that the next one does as well. */
async function expectBlocks(known: KnownProject): Promise<void> {
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).not.toContain("this looks like the environment");
}

describe("a check that never passed and whose program is missing", () => {
  test("blocks once in a turn, then at no stop, and the user reads why", async () => {
    const known = await project(MISSING);
    const first = await known.stop();
    expect(first.status).toBe("failed");
    expect(first.reason).toContain("this looks like the environment: a program is missing");
    const second = await known.stop();
    expect(second.status).toBe(LET_GO);
    expect(second.personMessage).toMatch(/this looks like the environment.*frobnicate/);

    await known.newTurn();
    await known.project.write("a.js", "changed again\n");
    const third = await known.stop();
    expect(third.status).toBe(LET_GO);
    expect(third.personMessage).toMatch(/not caused by the change.*frobnicate/);

    await known.newTurn();
    await known.project.write("check.sh", "another-program .\n");
    expect((await known.stop()).status).toBe("failed");
  });

  test("does not block a change of texts alone, and blocks one of code afterwards", async () => {
    const other = "- other: { command: sh check.sh }";
    const known = await KnownProject.create({
      config: `entry_points:\n  - path: .\n    checks:\n      - it\n      ${other}\n`,
      check: "command: sh check.sh\n",
      files: { "check.sh": MISSING, "a.js": "fine\n" },
    });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe(LET_GO);
    expect(personMessage).toMatch(/this looks like the environment.*frobnicate/);
    expect(personMessage).toContain("; nor is there a result of check:.:other;");
    await known.project.write("a.js", "changed\n");
    expect((await known.stop()).status).toBe("failed");
  });

  test("is not older than the change because of a run by hand", async () => {
    const known = await project(MISSING);
    await known.project.run({ env: known.env });
    await known.project.write("a.js", "changed again\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe(LET_GO);
    expect(personMessage).toContain("this looks like the environment");
  });
});

describe("blocks as any failure", () => {
  test("if it has passed here before, in any turn and worktree", async () => {
    const known = await project("[ -e broken ] || exit 0\nfrobnicate .\n");
    expect((await known.stop()).status).toBe("passed");
    await known.project.write("broken", "");
    await expectBlocks(known);
    await known.project.remove("gauntlet_logs");
    await known.newTurn();
    await expectBlocks(known);
  });

  test("unless the other project of the repository has passed", async () => {
    const sub = "base_branch: main\nentry_points: [{ path: ., checks: [it] }]\n";
    const known = await project(MISSING, {
      "sub/.gauntlet/config.yml": sub,
      "sub/.gauntlet/checks/it.yml": "command: exit 0\n",
    });
    await known.project.write("sub/a.js", "changed\n");
    expect((await known.stop({ from: "sub" })).status).toBe("passed");
    expect((await known.stop()).reason).toContain("this looks like the environment");
  });

  test("if a changed file imports the missing module", async () => {
    const known = await project("node b.js\n", { "b.js": "1;\n" });
    await known.project.write("b.js", 'require("left-pad-of-ours");\n');
    await expectBlocks(known);
  });

  test.each([
    ["file", "echo \"ModuleNotFoundError: No module named 'tools.helpers'\"\n", "tools/helpers.py"],
    ["line", "echo \"ModuleNotFoundError: No module named 'settings'\"\n", "b.py"],
  ])("if a removed %s has the name (G49)", async (_, script, path) => {
    const files = { "b.py": "import settings\n", "tools/helpers.py": "" };
    const known = await project(`${script}exit 1\n`, files);
    await known.project.remove(path);
    await expectBlocks(known);
  });
});

test("a key of a model is withheld; a check that names it blocks once, and the user reads pass_env (G11)", async () => {
  vi.stubEnv("GEMINI_API_KEY", "secret");
  // It passed here while checks still got every variable.
  const known = await project(
    '[ -e strict ] || exit 0\n[ -n "$GEMINI_API_KEY" ] || { echo "Set GEMINI_API_KEY first"; exit 1; }\n'
  );
  expect((await known.stop()).status).toBe("passed");
  await known.project.write("strict", "");
  const first = await known.stop();
  expect(first.status).toBe("failed");
  expect(first.reason).toContain("names it in pass_env");
  const second = await known.stop();
  expect(second.status).toBe(LET_GO);
  expect(second.personMessage).toContain('add "pass_env: [GEMINI_API_KEY]"');
});

const NAMES = ["adds", "divides", "multiplies", "subtracts"];

function tests(names: readonly string[]): string {
  return names.map((name) => `${name}: true\n`).join("");
}

function junit(names: readonly string[], file = "math.test.txt"): string {
  const cases = names.map((name) => `<testcase name="${name}" classname="math" file="${file}"/>`);
  return `<testsuites><testsuite name="math">${cases.join("")}</testsuite></testsuites>\n`;
}

const NODE: KnownOptions = {
  check: "command: sh node-test.sh\n",
  files: { "math.test": tests(NAMES), "math.js": "1;\n" },
};
const JUNIT: KnownOptions = {
  check: "command: cp report.txt report.xml\nfindings: junit:report.xml\n",
  files: { "report.txt": junit(NAMES), "math.test.txt": "1\n", ".gitignore": "report.xml\n" },
};

/** Returns a project whose check has passed with all tests. */
const passed = restoring(async (options: KnownOptions) => {
  const known = await KnownProject.create(options);
  await known.newTurn();
  await known.project.write("math.js", "2;\n");
  expect(await known.stop()).toMatchObject({ status: "passed" });
  await known.newTurn();
  return known;
});

const THREE =
  'check:.:it: 4 tests that ran at the last pass no longer run: "adds", "divides", "multiplies" … and 1 more';

describe("tests that no longer run are named once, with three names", () => {
  test("with node --test, if they were skipped", async () => {
    const known = await passed(NODE);
    await known.project.write("math.test", tests(NAMES.map((name) => `skip ${name}`)));
    const { status, personMessage } = await known.stop();
    expect(status).toBe("passed");
    expect(personMessage).toContain(THREE);
  });

  test("with a report in the format of JUnit", async () => {
    const known = await passed(JUNIT);
    await known.project.write("report.txt", junit(["other"]));
    await known.project.write("math.test.txt", "2\n");
    const { personMessage } = await known.stop();
    expect(personMessage).toContain(THREE.replaceAll(/"(?=[a-z])/g, '"math > '));
  });

  test("after a run by hand, which an agent may have started", async () => {
    const known = await passed(NODE);
    await known.project.write("math.test", tests(["other"]));
    expect((await known.project.run({ env: known.env })).status).toBe("passed");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("no_changes");
    expect(personMessage).toContain(THREE);
    await known.newTurn();
    expect((await known.stop()).personMessage).toBeUndefined();
  });
});

test.each(["in a stop", "by hand"])(
  "no test is named by a check that writes no report %s, and the user sees that",
  async (place) => {
    const check = "command: cp report.txt report.xml || true\nfindings: junit:report.xml\n";
    const known = await passed({ ...JUNIT, check });
    await known.project.remove("report.txt");
    await known.project.write("math.test.txt", "2\n");
    if (place === "by hand") await known.project.run({ env: known.env });
    const { personMessage } = await known.stop();
    expect(personMessage).toContain(
      "check:.:it: its tests could not be compared with those of the last pass: report.xml matches no file that the command wrote"
    );
    expect(personMessage).not.toContain("no longer run");
  }
);

test("no test is named by a check that ran only some files", async () => {
  const known = await passed({ ...NODE, check: "command: sh node-test.sh '*' {files}\n" });
  await known.project.write("other.test", tests(["other"]));
  const { status, personMessage } = await known.stop();
  expect({ status, personMessage }).toEqual({ status: "passed", personMessage: undefined });
});
