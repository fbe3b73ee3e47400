/** A project that was set up for the existing tool, as it is, and what that tool left in it. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt, repository } from "@test/helpers/built";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";
import { agentGauntlet, stop, type Ended } from "@test/requirements/rig";

beforeAll(ensureBuilt, 120_000);

let project: GauntletProject;

/** On a branch where `src/index.js` has changed. Its tools note how they were called. */
beforeEach(async () => {
  const dir = join(await tempDir(), "project");
  await cp(join(repository, "fixtures/projects/existing-gauntlet"), dir, { recursive: true });
  project = GauntletProject.at(dir);
  await project.git("init", "--quiet", "--initial-branch=main");
  await project.commit("begin");
  await project.git("switch", "--quiet", "--create", "work");
  await project.write("src/index.js", 'console.log("hello again");\n');
  for (const tool of ["npm", "npx"]) {
    const fails = `test "${tool} $1" != "npm test" || test ! -e "${project.path(".git/red")}"`;
    await project.script(
      `.git/bin/${tool}`,
      `echo "${tool} $*" >> "${project.path(".git/calls")}"; ${fails}`
    );
  }
});

const env = (): NodeJS.ProcessEnv => ({
  PATH: `${project.path(".git/bin")}:${PROJECT_ENV.PATH ?? ""}`,
});

const call = (...args: string[]): Promise<Ended> => agentGauntlet(project, args, { env: env() });

async function calls(): Promise<string[]> {
  const lines = (await project.read(".git/calls")).trim().split("\n");
  await project.remove(".git/calls");
  return lines.sort();
}

test("validate takes its configuration as it is", async () => {
  const { code, stderr } = await call("validate");
  expect(stderr).not.toMatch(/error/i);
  expect(code).toBe(0);
});

test("run runs its checks, with logs named as they always were", async () => {
  const { code, stdout, stderr } = await call("run");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(await calls()).toEqual(["npm run build", "npm test", "npx eslint ."]);
  for (const name of ["build", "lint", "test"]) {
    expect(stderr).toContain(`[START] check:src:${name}\n`);
    expect(stderr).toMatch(new RegExp(`^\\[PASS\\]  check:src:${name} \\(\\d+\\.\\d\\ds\\)$`, "m"));
  }
  expect(stderr).toMatch(/Status: Passed\n$/);
  expect(await project.logs("gauntlet_logs/previous")).toEqual([
    "check_src_build.1.log",
    "check_src_lint.1.log",
    "check_src_test.1.log",
    "console.1.log",
    "report.1.json",
  ]);
});

test("a failure is verified by the command for reruns, and the agent is sent back", async () => {
  await project.write(".git/red", "");
  expect((await call("run")).code).toBe(1);
  await calls();
  const { response } = await stop(project, {}, { env: env() });
  expect(response).toMatchObject({ decision: "block", status: "failed" });
  expect(response.reason).toContain(project.path("gauntlet_logs/check_src_test.2.log"));
  expect(await calls()).toContain("npm test -- --only-failed");
});

test("a run goes on from what the existing tool left", async () => {
  await project.git("commit", "--quiet", "--allow-empty", "--message", "on the branch");
  const commit = (await project.git("rev-parse", "HEAD")).trim();
  const state = { last_run_completed_at: "2026-01-25T16:00:00Z", branch: "work", commit };
  const left = {
    ".execution_state": JSON.stringify({ ...state, working_tree_ref: commit }),
    ".session_ref": `${commit}\n`,
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
  await project.remove(".git/red");
  expect((await call("run")).code).toBe(0);
  expect(await project.logs()).toEqual([".check_cache.json", ".execution_state", "previous"]);
  const archived = await project.logs("gauntlet_logs/previous");
  for (const name of Object.keys(left).slice(1)) expect(archived).toContain(name);
});
