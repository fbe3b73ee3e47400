import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { tempDir } from "@test/helpers/tempDir";
import {
  badProject,
  expectApproved,
  goodProject,
  hasRun,
  sendToHook,
  stop,
} from "@test/requirements/rig";

beforeAll(ensureBuilt);

describe("Stop Hook Protocol Compliance", () => {
  test("Valid hook input", async () => {
    const project = await badProject();
    const elsewhere = await tempDir();
    await trustNow(project.dir, project.path(".git/home"));
    const { response } = await stop(project, { cwd: project.path("src") }, { cwd: elsewhere });
    expect(response).toMatchObject({ decision: "block", status: "failed" });
    expect(response.reason).toContain(project.path("gauntlet_logs/console.1.log"));
    const again = await stop(project, { stop_hook_active: true }, { cwd: elsewhere });
    expectApproved(again, "stop_hook_active", /infinite loop/);
  });

  test("Missing or invalid JSON", async () => {
    const project = await badProject();
    for (const stdin of ["", "\n", "not JSON\n", '{"cwd": "/tmp"', "null\n", "[]\n"]) {
      expectApproved(await sendToHook(project, stdin), "invalid_input", /could not be parsed/);
    }
    expect(await hasRun(project)).toBe(false);
  });
});

describe("Infinite Loop Prevention", () => {
  test("stop_hook_active is true", async () => {
    const project = await badProject();
    const { response } = await stop(project, { stop_hook_active: true });
    expect(response.decision).toBe("approve");
    expect(await hasRun(project)).toBe(false);
    expect(await project.logs()).toEqual([]);
  });

  test("stop_hook_active is false", async () => {
    const project = await badProject();
    const { response } = await stop(project, { stop_hook_active: false });
    expect(response.status).toBe("failed");
    expect(await hasRun(project)).toBe(true);
    // A failed gate of this turn stays unresolved if the configuration is removed.
    await project.remove(".gauntlet");
    const gone = await stop(project, { stop_hook_active: false });
    expect(gone.response.message).toMatch(/^1 of 1 gate failed: config/);
    const without = await goodProject();
    await without.remove(".gauntlet");
    expectApproved(await stop(without, { stop_hook_active: false }), "no_config", /./);
  });
});

describe("Gauntlet Project Detection", () => {
  test("No gauntlet config exists", async () => {
    const project = await badProject();
    await project.remove(".gauntlet/config.yml");
    const { response } = await stop(project);
    expect(response.decision).toBe("approve");
    expect(await hasRun(project)).toBe(false);
    expect(await project.logs()).toEqual([]);
  });

  test("Gauntlet config exists", async () => {
    const project = await goodProject();
    expect((await stop(project)).response.status).toBe("passed");
    expect(await hasRun(project)).toBe(true);
  });
});

describe("Stop Hook Lock Pre-Check", () => {
  test("Lock file exists - allow stop", async () => {
    const project = await badProject();
    await project.write("gauntlet_logs/.gauntlet-run.lock", String(process.pid));
    // A stop that waits for the run would answer at its time limit of five minutes.
    const stopped = await stop(project, {}, { args: ["--limit", "300"] });
    expect(stopped.response).toMatchObject({ decision: "approve", status: "lock_exists" });
    expect(stopped.stderr).toMatch(/^\[gauntlet\] .*already running/m);
    expect(await hasRun(project)).toBe(false);
    expect(await project.logs()).toEqual([".gauntlet-run.lock"]);
  });

  test("Lock file does not exist - run gauntlet", async () => {
    const project = await badProject();
    expect((await stop(project)).response.status).toBe("failed");
    expect(await hasRun(project)).toBe(true);
    expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  });
});
