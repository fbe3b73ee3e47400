import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import {
  agentGauntlet,
  badProject,
  hasRun,
  minutesAgo,
  stop,
  writeGlobalConfig,
  writeState,
} from "@test/requirements/rig";

describe("Decisions", () => {
  test("Store execution state in log directory (not global)", async () => {
    const project = await badProject("log_dir: build/logs\n");
    await writeGlobalConfig(project, "stop_hook:\n  run_interval_minutes: 0\n");
    expect((await stop(project)).response.status).toBe("failed");
    expect(await project.logs("build/logs")).toContain(".execution_state");
    // The record of what a person trusts (G24a).
    expect(await project.logs(".git/home/.mux")).toEqual(["hook-trust.json"]);
    expect(await project.logs(".git/home")).toEqual([".config", ".mux"]);
    expect(await project.logs(".git/home/.config/agent-gauntlet")).toEqual(["config.yml"]);
  });

  test("Time interval in global config only", async () => {
    const project = await badProject("stop_hook:\n  run_interval_minutes: 60\n");
    await writeState(project, { last_run_completed_at: minutesAgo(11), branch: "work" });
    const { response, stderr } = await stop(project);
    expect(response.status).toBe("failed");
    expect(stderr).toMatch(/^\[gauntlet\] .*run_interval_minutes/m);
  });

  test("Lock pre-check in stop-hook before spawning subprocess", async () => {
    const project = await badProject();
    await project.write("gauntlet_logs/.gauntlet-run.lock", String(process.pid));
    await project.script(".git/bin/git", `touch "${project.path(".git/called")}"; exit 1`);
    const PATH = `${project.path(".git/bin")}:${PROJECT_ENV.PATH ?? ""}`;
    const { response } = await stop(project, {}, { env: { PATH } });
    expect(response.status).toBe("lock_exists");
    expect(await project.logs(".git")).not.toContain("called");
  });

  test("A lock whose owner no longer runs does not allow the stop", async () => {
    const project = await badProject();
    const child = spawn("true");
    await once(child, "exit");
    await project.write("gauntlet_logs/.gauntlet-run.lock", String(child.pid));
    expect((await stop(project)).response.decision).toBe("block");
    expect(await hasRun(project)).toBe(true);
  });

  test("Acquire the lock before the console log", async () => {
    const project = await badProject();
    await project.write("gauntlet_logs/.gauntlet-run.lock", String(process.pid));
    const lock = project.path("gauntlet_logs/.gauntlet-run.lock");
    for (const command of ["run", "check"]) {
      const { code, stderr } = await agentGauntlet(project, [command]);
      expect(code).toBe(1);
      expect(stderr).toContain("A gauntlet run is already in progress");
      expect(stderr).toContain(lock);
    }
    expect(await project.logs()).toEqual([".gauntlet-run.lock"]);
  });

  test("Clean keeps the archive if there is nothing to archive", async () => {
    const project = await badProject();
    expect((await agentGauntlet(project, ["clean"])).code).toBe(0);
    expect(await project.logs()).toEqual([]);
    await agentGauntlet(project, ["run"]);
    await agentGauntlet(project, ["clean"]);
    const archived = await project.logs("gauntlet_logs/previous");
    expect(archived).toContain("console.1.log");
    expect((await agentGauntlet(project, ["clean"])).code).toBe(0);
    expect(await project.logs("gauntlet_logs/previous")).toEqual(archived);
  });
});
