import { describe, expect, test } from "vitest";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import {
  agentGauntlet,
  badProject,
  expectApproved,
  goodProject,
  hasRun,
  minutesAgo,
  stop,
  writeGlobalConfig,
  writeState,
} from "@test/requirements/rig";

const head = async (project: GauntletProject): Promise<string> =>
  (await project.git("rev-parse", "HEAD")).trim();

describe("Execution State Tracking", () => {
  const begun = Date.now();

  async function expectStateOf(project: GauntletProject, status: string): Promise<void> {
    const state = await project.state();
    expect(state).toMatchObject({ status, branch: "work", commit: await head(project) });
    const { last_run_completed_at: time } = state;
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const completed = Date.parse(String(time));
    expect([begun <= completed, completed <= Date.now()]).toEqual([true, true]);
  }

  test("State file written on successful run", async () => {
    const project = await goodProject();
    expect((await agentGauntlet(project, ["run"])).code).toBe(0);
    await expectStateOf(project, "passed");
  });

  test("State file written on failed run", async () => {
    const project = await badProject();
    expect((await agentGauntlet(project, ["run"])).code).toBe(1);
    await expectStateOf(project, "failed");
    expect((await agentGauntlet(project, ["check"])).code).toBe(1);
    await expectStateOf(project, "failed");
  });

  test("State file cleared on clean", async () => {
    const project = await badProject();
    await agentGauntlet(project, ["run"]);
    const before = await project.read("gauntlet_logs/.execution_state");
    expect((await agentGauntlet(project, ["clean"])).code).toBe(0);
    expect(await project.logs()).toEqual(["previous"]);
    expect(await project.read("gauntlet_logs/previous/.execution_state")).toBe(before);
    expect(await project.logs("gauntlet_logs/previous")).toContain("check_src_ok.1.log");

    // A run that passes cleans the logs, but not the state.
    const passing = await goodProject();
    await agentGauntlet(passing, ["run"]);
    const { passed } = await passing.state();
    expect(await passing.logs("gauntlet_logs/previous")).toContain("check_src_ok.1.log");
    expect(await passing.logs("gauntlet_logs/previous")).not.toContain(".execution_state");
    await passing.remove(".git/parent");
    expect((await agentGauntlet(passing, ["run"])).stderr).toContain("Status: No changes");
    expect([await hasRun(passing), (await passing.state()).passed]).toEqual([false, passed]);

    await agentGauntlet(passing, ["clean"]);
    expect(await passing.logs("gauntlet_logs/previous")).toContain(".execution_state");
    expect((await agentGauntlet(passing, ["run"])).stderr).toContain("Status: Passed");
    expect(await hasRun(passing)).toBe(true);
  });
});

describe("Automatic Log Cleaning on Context Change", () => {
  /** Creates a project on `feature-a`, with a commit, a log, and the state of another tool if it is given. */
  async function worked(recorded: Record<string, unknown> | undefined): Promise<GauntletProject> {
    const project = await badProject();
    await project.git("switch", "--quiet", "--create", "feature-a");
    await project.commit("work");
    await project.write("gauntlet_logs/console.1.log", "earlier\n");
    if (recorded !== undefined) {
      const commit = await head(project);
      await writeState(project, { last_run_completed_at: minutesAgo(60), commit, ...recorded });
    }
    return project;
  }

  async function expectCleaned(project: GauntletProject): Promise<void> {
    const { previous, state } = { previous: "gauntlet_logs/previous", state: ".execution_state" };
    expect(await project.read(`${previous}/console.1.log`)).toBe("earlier\n");
    expect(await project.logs(previous)).toContain(state);
    expect(await project.read("gauntlet_logs/console.1.log")).toContain("Status: Failed");
  }

  async function expectNotCleaned(project: GauntletProject, stderr: string): Promise<void> {
    expect(stderr).not.toContain("Auto-clean");
    expect(stderr).toContain("Status: Failed");
    expect(await project.read("gauntlet_logs/console.1.log")).toBe("earlier\n");
    expect(await project.logs()).toContain("console.2.log");
    expect(await project.logs()).not.toContain("previous");
  }

  test("Branch changed triggers auto-clean", async () => {
    const project = await worked({ branch: "feature-a" });
    await project.git("switch", "--quiet", "--create", "feature-b");
    const { stderr } = await agentGauntlet(project, ["run"]);
    expect(stderr).toContain("Auto-clean: branch changed (feature-a → feature-b)\n");
    await expectCleaned(project);
    expect(await project.state()).toMatchObject({ branch: "feature-b" });
  });

  test("Commit merged triggers auto-clean", async () => {
    const project = await worked({ branch: "feature-a" });
    await project.git("branch", "--force", "main", "feature-a");
    await project.write("src/more.txt", "x");
    const { stderr } = await agentGauntlet(project, ["run"]);
    expect(stderr).toContain("Auto-clean: commit merged into main\n");
    await expectCleaned(project);
  });

  test("No auto-clean when context unchanged", async () => {
    const project = await worked({ branch: "feature-a" });
    const { stderr } = await agentGauntlet(project, ["run"]);
    await expectNotCleaned(project, stderr);
  });

  test("No auto-clean when no state file", async () => {
    const project = await worked(undefined);
    const { stderr } = await agentGauntlet(project, ["run"]);
    await expectNotCleaned(project, stderr);
  });
});

/** Creates a project with the state of an earlier run that recorded only its time, branch and commit. */
async function afterRun(minutes: number, globalConfig?: string): Promise<GauntletProject> {
  const project = await badProject();
  if (globalConfig !== undefined) await writeGlobalConfig(project, globalConfig);
  await writeState(project, {
    last_run_completed_at: minutesAgo(minutes),
    branch: "work",
    commit: await head(project),
  });
  return project;
}

async function expectWaits(project: GauntletProject, left: string): Promise<string> {
  const stopped = await stop(project);
  expectApproved(stopped, "interval_not_elapsed", new RegExp(`^${left} min left$`));
  expect(await hasRun(project)).toBe(false);
  return stopped.stderr;
}

async function expectRuns(project: GauntletProject): Promise<string> {
  const { response, stderr } = await stop(project);
  expect(response).toMatchObject({ decision: "block", status: "failed" });
  expect(await hasRun(project)).toBe(true);
  return stderr;
}

describe("Global Configuration", () => {
  const INTERVAL_15 = "stop_hook:\n  run_interval_minutes: 15\n";

  test("Global config with stop hook interval", async () => {
    await expectWaits(await afterRun(12, INTERVAL_15), "3");
    await expectRuns(await afterRun(16, INTERVAL_15));
  });

  test("Global config missing", async () => {
    await expectWaits(await afterRun(8), "2");
    await expectRuns(await afterRun(11));
  });

  test("Global config invalid", async () => {
    const stderr = await expectWaits(await afterRun(8, "stop_hook: ["), "2");
    expect(stderr).toMatch(/^\[gauntlet\] .*agent-gauntlet\/config\.yml:1:\d+: /m);
    await expectRuns(await afterRun(11, "stop_hook: ["));
  });
});

describe("Stop Hook Run Interval", () => {
  const INTERVAL_10 = "stop_hook:\n  run_interval_minutes: 10\n";

  test("Interval not elapsed - skip run", async () => {
    const stderr = await expectWaits(await afterRun(5, INTERVAL_10), "5");
    expect(stderr).toMatch(/^\[gauntlet\] .*5 min left/m);
  });

  test("Interval elapsed - run gauntlet", async () => {
    await expectRuns(await afterRun(15, INTERVAL_10));
  });

  test("No execution state - run gauntlet", async () => {
    const project = await badProject();
    await writeGlobalConfig(project, INTERVAL_10);
    await expectRuns(project);
  });
});
