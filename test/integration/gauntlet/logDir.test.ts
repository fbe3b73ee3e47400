/** The default folder of the files of a run, which no tool that walks the project reads. */
import { existsSync } from "node:fs";
import { realpath, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { RunLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt, statusAt } from "@test/helpers/gauntlet/stops";
import { tempDir } from "@test/helpers/tempDir";

const LOGS = ".git/agent-gauntlet/logs";
const OLD = "gauntlet_logs";
const STATE = ".execution_state";
const CONFIG = "base_branch: main\nentry_points: [{ path: ., checks: [walk] }]\n";
/** Reads every file of the project, as a formatter does. Its own definition has no such word. */
const WALKER = "command: '! grep -rn --exclude-dir=.git FIX[M]E .'\n";

/** Creates a project without `log_dir`, in which the check has failed. */
const walkedProject = restoring(async () => {
  const project = await GauntletProject.create("entry_points: []\n");
  await project.write(".gauntlet/config.yml", CONFIG);
  await project.write(".gauntlet/checks/walk.yml", WALKER);
  await project.commit("configuration");
  await project.write("src/a.txt", "FIXME\n");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(result.gates[0]?.logPath).toBe(project.path(LOGS, "check_._walk.1.log"));
  return project;
});

/** Moves the folder to where an earlier version has it. */
async function moveBack(project: GauntletProject): Promise<void> {
  await rename(project.path(LOGS), project.path(OLD));
}

async function openIn(project: GauntletProject, folder: string): Promise<unknown> {
  return (JSON.parse(await project.read(`${folder}/${STATE}`)) as { open?: unknown }).open;
}

test("a check that walks the project passes after the fix, and finds no file of a run (G15)", async () => {
  const project = await walkedProject();
  expect(await statusAt(project)).toBe("failed");
  expect(await project.git("status", "--porcelain", "--ignored")).toBe(" M src/a.txt\n");
  await project.write("src/a.txt", "good\n");
  expect(await statusAt(project)).toBe("passed");
  expect(existsSync(project.path(OLD))).toBe(false);
});

test("a linked worktree and a project in a subfolder have their own (G15)", async () => {
  const project = await walkedProject();
  const linked = GauntletProject.at(join(await realpath(await tempDir()), "linked"));
  await project.git("worktree", "add", "--quiet", "-b", "other", linked.dir);
  await linked.write("src/b.txt", "good\n");
  expect((await linked.run()).status).toBe("passed");
  expect(existsSync(project.path(".git/worktrees/linked/agent-gauntlet/logs", STATE))).toBe(true);
  expect(await openIn(project, LOGS)).toEqual(["check:.:walk"]);

  const inner = GauntletProject.at(project.path("src"));
  await inner.write(".gauntlet/config.yml", CONFIG);
  await inner.write(".gauntlet/checks/walk.yml", "command: 'true'\n");
  const { consoleLogPath } = await inner.run();
  expect(consoleLogPath).toMatch(/\/\.git\/agent-gauntlet\/logs-[0-9a-f]{12}\//);
  expect(await openIn(project, LOGS)).toEqual(["check:.:walk"]);
});

test("the folder of an earlier version moves once, with its unresolved gates (G15)", async () => {
  const project = await walkedProject();
  await moveBack(project);
  await project.write("src/a.txt", "a\n");
  // The gate is unresolved, so it runs although nothing differs.
  expect((await stopAt(project)).result.gates.map(({ jobId }) => jobId)).toEqual(["check:.:walk"]);
  expect(await openIn(project, LOGS)).toEqual([]);
  expect(existsSync(project.path(OLD))).toBe(false);
});

test("a folder that cannot be renamed moves as well (G15)", async () => {
  const project = await walkedProject();
  await moveBack(project);
  await project.write(`${LOGS}/console.9.log`, "");
  expect(await statusAt(project)).toBe("failed");
  expect(await openIn(project, LOGS)).toEqual(["check:.:walk"]);
  expect(existsSync(project.path(OLD))).toBe(false);
});

test("the folder of an earlier version is used where it is while a run uses it (G15)", async () => {
  const project = await walkedProject();
  await moveBack(project);
  const { runtime } = project;
  const identity = await currentProcess(runtime.host);
  const lock = await RunLock.acquire(runtime, project.path(OLD), identity, new Date());
  expect((await project.run()).status).toBe("lock_exists");
  await lock._unsafeUnwrap().release();
  expect((await project.run()).status).toBe("failed");
  expect(existsSync(project.path(OLD))).toBe(false);
});

test("a removed state is restored after an update (G15)", async () => {
  const project = await GauntletProject.create("entry_points: [{ path: ., checks: [walk] }]\n", {
    walk: WALKER,
  });
  await project.write("src/a.txt", "FIXME\n");
  expect(await statusAt(project)).toBe("failed");
  await project.remove(OLD);
  await project.write(".gauntlet/config.yml", CONFIG);
  await project.run();
  expect(await openIn(project, LOGS)).toEqual(["check:.:walk"]);
});

test("a project with a review keeps it in the project, also if the review is new (G15)", async () => {
  const project = await walkedProject();
  const review = "reviews: [{ cq: { builtin: code-quality, enabled: false } }]";
  const reviewed = CONFIG.replace("checks: [walk]", `checks: [walk], ${review}`);
  await project.write(".gauntlet/config.yml", reviewed);
  expect((await project.run()).status).toBe("failed");
  expect(existsSync(project.path(LOGS))).toBe(false);
  expect(await openIn(project, OLD)).toEqual(["check:.:walk"]);
  expect(await project.git("status", "--porcelain")).not.toContain(OLD);
});

test("a git folder that cannot be written is not used (G15)", async () => {
  const project = await walkedProject();
  await project.remove(".git/agent-gauntlet");
  await project.write(".git/agent-gauntlet", "a file");
  expect((await project.run()).gates[0]?.logPath).toBe(project.path(OLD, "check_._walk.1.log"));
  expect(await openIn(project, OLD)).toEqual(["check:.:walk"]);
});
