/** Stops with a check that cannot work on this machine (G49). */
import { afterEach, describe, expect, test, vi } from "vitest";
import { KnownProject } from "@test/helpers/gauntlet/knownProject";
import { restoring } from "@test/helpers/restoring";

const MISSING = "frobnicate .\n";
const LET_GO = "infrastructure_error";

const project = restoring(
  async (script: string, files: Readonly<Record<string, string>> = {}): Promise<KnownProject> => {
    const known = await KnownProject.create({
      check: "command: sh check.sh\n",
      files: { "check.sh": script, "a.js": "fine\n", ...files },
    });
    await known.newTurn();
    await known.project.write("a.js", "changed\n");
    return known;
  },
  ({ project }) => [project.dir]
);

/** Expects that two stops in a row send the agent back. */
async function expectBlocks(known: KnownProject): Promise<void> {
  expect((await known.stop()).status).toBe("failed");
  await known.project.write("a.js", "changed again\n");
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

  test("leaves a new failure of the turn unresolved", async () => {
    const known = await project("echo 'a.js:1:1: error: bad'; exit 1\n");
    expect((await known.stop()).status).toBe("failed");
    await known.project.write("check.sh", MISSING);
    expect((await known.stop()).status).toBe("failed");
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

  test.each([
    [
      "cannot connect to this machine",
      "echo 'Error: connect ECONNREFUSED 127.0.0.1:5432'; exit 1\n",
    ],
    ["has an ordinary finding as well", "echo 'a.js:1:1: error: bad'; frobnicate .\n"],
    ["has no output", "exit 127\n"],
  ])("if it %s", async (_, script) => {
    await expectBlocks(await project(script));
  });

  test("if the agent deleted a script of the tree", async () => {
    const known = await project("./tool.sh\n", { "tool.sh": "exit 1\n" });
    await known.project.remove("tool.sh");
    await expectBlocks(known);
  });

  test("if a changed file imports the missing module", async () => {
    const known = await project("node b.js\n", { "b.js": "1;\n" });
    await known.project.write("b.js", 'require("left-pad-of-ours");\n');
    await expectBlocks(known);
  });
});

describe("a key of a model (G11)", () => {
  const NEEDS = '[ -n "$GEMINI_API_KEY" ] || { echo "Set GEMINI_API_KEY first"; exit 1; }\n';

  test("is withheld; a check that names it blocks once, and the user reads pass_env", async () => {
    vi.stubEnv("GEMINI_API_KEY", "secret");
    // It passed here while checks still got every variable.
    const known = await project(`[ -e strict ] || exit 0\n${NEEDS}`);
    expect((await known.stop()).status).toBe("passed");
    await known.project.write("strict", "");
    const first = await known.stop();
    expect(first.status).toBe("failed");
    expect(first.reason).toContain("names it in pass_env");
    const second = await known.stop();
    expect(second.status).toBe(LET_GO);
    expect(second.personMessage).toContain('add "pass_env: [GEMINI_API_KEY]"');
  });

  test("is an ordinary failure if the change brings its name", async () => {
    const known = await project(NEEDS);
    await known.project.write("b.js", "needs GEMINI_API_KEY\n");
    await expectBlocks(known);
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
});
