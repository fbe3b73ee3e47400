/** Whole runs that find another run's lock, or start at the same time as another (G17). */
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { runEnded, startRun } from "@test/helpers/gauntlet/gauntletChild";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { makeGate } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { describeHere } from "@test/helpers/remote/testRuntime";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const LOCK = "gauntlet_logs/.gauntlet-run.lock";

async function changedProject(command: string): Promise<GauntletProject> {
  const project = await GauntletProject.create(CONFIG, { ok: `command: "${command}"\n` });
  await project.write("src/new.txt", "x");
  return project;
}

describeHere("runs that start at the same time", () => {
  test("one of three runs, and the others write no file (G17)", async () => {
    const count = 3;
    // The active run ends when the others have ended.
    const project = await changedProject("read -r -t 20 <> ../.git/gate; exit 3");
    const gate = await makeGate(project.path(".git"));
    const barrier = await makeGate(await tempDir());
    const children = await Promise.all(
      Array.from({ length: count }, () => startRun(project.dir, "wait", barrier.path))
    );
    let waiting = count;
    const ended = children.map(async (child) => {
      const run = await runEnded(child);
      if (--waiting === 1) await gate.open();
      return run?.result;
    });
    await writeFile(barrier.path, "x".repeat(count));
    const results = await Promise.all(ended);
    expect(results.map((result) => result?.status).sort()).toEqual([
      "failed",
      ...Array.from({ length: count - 1 }, () => "lock_exists"),
    ]);
    expect(await project.logs()).toEqual([
      ".check_cache.json",
      ".execution_state",
      "check_src_ok.1.log",
      "console.1.log",
      "report.1.json",
    ]);
    expect(await project.state()).toMatchObject({ attempt: 1, status: "failed" });
  });
});

describe("a run that finds a lock", () => {
  const MINUTES = 60_000;
  const later = (minutes: number) => () => new Date(Date.now() + minutes * MINUTES);

  async function lockedProject(lock: string): Promise<GauntletProject> {
    const project = await changedProject("true");
    await project.write(LOCK, lock);
    return project;
  }

  async function lockOf(other: Record<string, unknown>): Promise<string> {
    const { pid, startTime, boot } = await currentProcess(new LocalFiles());
    const token = "a".repeat(32);
    const since = "2026-01-25T16:00:00.000Z";
    const lock = { pid, start_time: startTime, boot, host: hostname(), token, since };
    return JSON.stringify({ ...lock, ...other });
  }

  async function expectRefused(project: GauntletProject, who: string, now?: () => Date) {
    const result = await project.run(now === undefined ? {} : { now });
    expect(result).toMatchObject({ status: "lock_exists", gatesRun: 0 });
    expect(result.message).toContain("another gauntlet is already running");
    expect(result.message).toContain(who);
    expect(result.message).toContain(project.path(LOCK));
    expect(await project.logs()).toEqual([".gauntlet-run.lock"]);
  }

  async function expectTakenOver(project: GauntletProject, now?: () => Date) {
    const result = await project.run(now === undefined ? {} : { now });
    expect(result.status).toBe("passed");
    expect(project.events).toContainEqual({
      type: "notice",
      level: "warning",
      text: `took over ${project.path(LOCK)}, the lock of a run that no longer exists`,
    });
    expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  }

  test("of its own process is rejected, and names it and the file (G3, G17)", async () => {
    const project = await lockedProject(await lockOf({}));
    await expectRefused(project, `process ${process.pid} on ${hostname()}`);
  });

  test("of another host is rejected for 60 minutes, and takes it over then (G17)", async () => {
    const project = await lockedProject(await lockOf({ host: "elsewhere" }));
    await expectRefused(project, `process ${process.pid} on elsewhere`, later(59));
    await expectTakenOver(project, later(61));
  });
});
