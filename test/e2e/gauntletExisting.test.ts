/** A project that was set up for the original tool, with its files, and in one test a second review. */
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { FakeReviewers } from "@test/helpers/gauntlet/fakeReviewers";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";
import { createRepository } from "@test/helpers/newRepository";
import { restoring } from "@test/helpers/restoring";
import { agentGauntlet, stop, type Ended } from "@test/requirements/rig";

let project: GauntletProject;
let fakes: FakeReviewers;

/** Creates a branch on which `src/index.js` has changed. Its tools record how they were called. */
const create = restoring(
  async () => {
    const dir = join(await tempDir(), "project");
    await cp(join(repository, "fixtures/projects/existing-gauntlet"), dir, { recursive: true });
    const created = GauntletProject.at(dir);
    createRepository(dir, PROJECT_ENV, "work");
    await created.write("src/index.js", 'console.log("hello again");\n');
    for (const tool of ["npm", "npx"]) {
      const fails = `test "${tool} $1" != "npm test" || test ! -e "${created.path(".git/red")}"`;
      const records = `echo "${tool} $*" >> "${created.path(".git/calls")}"`;
      await created.script(`.git/bin/${tool}`, `${records}; ${fails}`);
    }
    return created;
  },
  ({ dir }) => [dirname(dir)]
);

beforeEach(async () => {
  project = await create();
  fakes = new FakeReviewers(project.path("../fakes"));
});

const env = (): NodeJS.ProcessEnv =>
  fakes.env({ PATH: `${project.path(".git/bin")}:${PROJECT_ENV.PATH ?? ""}` });

const call = (...args: string[]): Promise<Ended> => agentGauntlet(project, args, { env: env() });

async function calls(): Promise<string[]> {
  const lines = (await project.read(".git/calls")).trim().split("\n");
  await project.remove(".git/calls");
  return lines.sort();
}

/** Makes a commit, and returns the state that the existing tool leaves after a run on it. */
async function leftState() {
  await project.git("commit", "--quiet", "--allow-empty", "--message", "on the branch");
  const commit = (await project.git("rev-parse", "HEAD")).trim();
  const time = { last_run_completed_at: "2026-01-25T16:00:00.600Z" };
  return { ...time, branch: "work", commit, working_tree_ref: commit };
}

test("validate accepts its configuration unchanged, and run runs its checks with the logs of the existing tool", async () => {
  const validated = await call("validate");
  expect(validated.stderr).not.toMatch(/error/i);
  expect(validated.code).toBe(0);
  const { code, stdout, stderr } = await call("run");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(await calls()).toEqual(["npm run build", "npm test", "npx eslint ."]);
  for (const name of ["build", "lint", "test"]) {
    expect(stderr).toContain(`[START] check:src:${name}\n`);
    expect(stderr).toMatch(new RegExp(`^\\[PASS\\]  check:src:${name} \\(\\d+\\.\\d\\ds\\)$`, "m"));
  }
  expect(stderr).toMatch(/Status: Passed\n$/);
  expect(await project.logs("gauntlet_logs/previous")).toEqual([
    ...["build", "lint", "test"].map((check) => `check_src_${check}.1.log`),
    ...["console.1.log", "report.1.json"],
    ...["._code-quality_claude@2", "._code-quality_codex@1", "src_architecture_codex@1"].flatMap(
      (review) => [`review_${review}.1.json`, `review_${review}.1.log`]
    ),
  ]);
});

test("a run continues the numbering and the state of the existing tool, and a stop verifies a failure with the rerun command", async () => {
  const state = await leftState();
  const left = {
    ".execution_state": JSON.stringify(state),
    ".session_ref": `${state.commit}\n`,
    "console.3.log": "earlier\n",
    "check_src_lint.3.log": "earlier\n",
    "review_src_architecture_codex@1.3.json": '{"status":"pass","violations":[]}',
  };
  for (const [name, text] of Object.entries(left)) {
    await project.write(`gauntlet_logs/${name}`, text);
  }
  await project.write(".git/red", "");
  expect((await call("run")).code).toBe(1);
  expect(await project.logs()).toContain("console.4.log");
  expect(await project.read("gauntlet_logs/console.3.log")).toBe("earlier\n");
  await calls();
  const { response } = await stop(project, {}, { env: env() });
  expect(response).toMatchObject({ decision: "block", status: "failed" });
  expect(response.reason).toContain(project.path("gauntlet_logs/check_src_test.5.log"));
  expect(await calls()).toContain("npm test -- --only-failed");
  await project.remove(".git/red");
  expect((await call("run")).code).toBe(0);
  expect(await project.logs()).toEqual([".check_cache.json", ".execution_state", "previous"]);
  const archived = await project.logs("gauntlet_logs/previous");
  for (const name of Object.keys(left).slice(1)) expect(archived).toContain(name);
});

describe("reviews that the existing tool has left", () => {
  const JSON_LEFT = "gauntlet_logs/review_src_architecture_codex@1.3.json";

  beforeEach(async () => {
    const state = await leftState();
    await cp(
      join(repository, "fixtures/projects/existing-gauntlet-logs"),
      project.path("gauntlet_logs"),
      { recursive: true }
    );
    await project.write("gauntlet_logs/.execution_state", JSON.stringify(state));
  });

  interface Entry {
    readonly issue: string;
    readonly status: string;
    readonly result: string | null;
  }

  const entriesOf = async (path: string): Promise<Entry[]> =>
    (JSON.parse(await project.read(path)) as { violations: Entry[] }).violations;

  const statuses = async (path: string): Promise<string[][]> =>
    (await entriesOf(path)).map(({ issue, status }) => [issue, status]);

  test("are continued: a new violation stays unresolved, a fixed one is verified, a skipped one is not reviewed again, and another review whose name begins the same gets none of them", async () => {
    await project.write(".gauntlet/reviews/architecture_x.md", "Look at x.\n");
    const config = await project.read(".gauntlet/config.yml");
    await project.write(
      ".gauntlet/config.yml",
      config.replace("      - architecture\n", "      - architecture\n      - architecture_x\n")
    );
    await project.write(
      "gauntlet_logs/review_src_architecture_x_codex@1.3.json",
      JSON.stringify({ adapter: "codex", status: "pass", rawOutput: "", violations: [] })
    );
    const { code, stderr } = await call("run");
    expect(code).toBe(1);
    expect(stderr).toContain("[FAIL]  review:src:architecture (codex@1)");
    expect(stderr).toContain("✓ Fixed: src/index.js:1 - Two layers know the same word");
    expect(stderr).toContain("Reason: It is an entry point, and has no name");
    const [prompt = ""] = (await fakes.calls("codex"))
      .map((call) => call.prompt)
      .filter((text) => text.includes("the layers that the project has"));
    expect(prompt).toContain('"issue":"Two layers know the same word"');
    expect(prompt).not.toContain("The name says nothing");
    expect(prompt).not.toContain("An older finding");
    expect(await statuses("gauntlet_logs/review_src_architecture_codex@1.4.json")).toEqual([
      ["The greeting is built in the wrong layer", "new"],
      ["The name says nothing", "skipped"],
    ]);
    expect(await statuses("gauntlet_logs/review_src_architecture_x_codex@1.4.json")).toEqual([]);
    // The file of the other tool is unchanged.
    expect((await entriesOf(JSON_LEFT)).map(({ status }) => status)).toEqual([
      "new",
      "fixed",
      "skipped",
    ]);
  });

  test("let the agent stop once everything is settled", async () => {
    const left = JSON.parse(await project.read(JSON_LEFT)) as { violations: object[] };
    Object.assign(left.violations[0]!, { status: "fixed", result: "moved" });
    await project.write(JSON_LEFT, JSON.stringify(left));
    const { code, stderr } = await call("run");
    expect(stderr).toMatch(/Status: Passed with warnings\n$/);
    expect(code).toBe(0);
  });
});
