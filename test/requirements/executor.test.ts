import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { runStopHooks, BuiltinHooks } from "@/index";
import { GAUNTLET_STATUSES, isBlockingStatus } from "@/node/services/gauntlet/domain/runStatus";
import { gauntletHook } from "@/node/services/gauntlet/hook/stopHook";
import { ensureBuilt } from "@test/helpers/built";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt as stopInProcess } from "@test/helpers/gauntlet/stops";
import { skippedReview } from "@test/requirements/reviews";
import {
  badProject,
  expectApproved,
  goodProject,
  stop,
  stopInOwnProcess,
} from "@test/requirements/rig";

beforeAll(ensureBuilt);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs the stop hook in this process, as a host does. */
async function stopInHost(project: GauntletProject) {
  const home = project.path(".git/home");
  const builtins = new BuiltinHooks().register("gauntlet", gauntletHook({ env: {}, home }), {
    events: ["Stop"],
  });
  return await runStopHooks(
    project.runtime,
    project.dir,
    {
      session_id: "s",
      transcript_path: project.path(".git/chat.jsonl"),
      cwd: project.dir,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
    },
    { builtins, load: { env: {}, home } }
  );
}

/** Returns the ID of the process that started the check. */
const parentOfCheck = async (project: GauntletProject): Promise<number> =>
  Number(await project.read(".git/parent"));

async function withoutRepository(): Promise<GauntletProject> {
  const project = await badProject();
  await project.remove(".git");
  return project;
}

/** Functions by status, each of which creates a project whose stop ends with that status. */
const OUTCOMES = {
  passed: () => goodProject(),
  failed: () => badProject(),
  retry_limit_exceeded: () => badProject("max_retries: 0\n"),
  no_applicable_gates: async () => {
    const project = await goodProject();
    await project.remove("src/new.txt");
    await project.write("README.md", "x");
    return project;
  },
  no_changes: async () => {
    const project = await goodProject();
    await project.remove("src/new.txt");
    return project;
  },
  infrastructure_error: withoutRepository,
  error: async () => {
    const project = await badProject();
    await project.write(".gauntlet/config.yml", "entry_points: 3\n");
    return project;
  },
} as const;

describe("Gauntlet Execution", () => {
  test("Direct function invocation", async () => {
    const project = await badProject();
    expect((await stopInHost(project)).shouldStop).toBe(false);
    expect(await parentOfCheck(project)).toBe(process.pid);
    const { pid } = await stopInOwnProcess(project);
    expect(await parentOfCheck(project)).toBe(pid);
  });

  test("Silent mode execution", async () => {
    const project = await badProject();
    // The listener shows that there are events to suppress.
    await project.run();
    expect(project.events.map(({ type }) => type)).toContain("gate-start");
    await project.run({ silent: true });
    expect(project.events).toEqual([]);
    await project.remove("gauntlet_logs");
    const { stdout, stderr } = await stopInOwnProcess(project);
    const log = await project.read("gauntlet_logs/console.1.log");
    expect(log).toContain("[START] check:src:ok\n");
    expect(stdout).not.toContain("[START]");
    expect(stderr).not.toContain("[START]");
    expect(await project.read("gauntlet_logs/check_src_ok.1.log")).toContain("bad is there");
  });

  test("Gauntlet execution error", async () => {
    expectApproved(await stop(await OUTCOMES.infrastructure_error()), "infrastructure_error", /./);
    expectApproved(await stop(await OUTCOMES.error()), "error", /./);
  });
});

describe("Unified Status Type", () => {
  test("Direct status usage", async () => {
    for (const [status, make] of Object.entries(OUTCOMES)) {
      const result = await (await make()).run();
      // A run by hand has no retry limit to exceed.
      expect(result.status).toBe(status === "retry_limit_exceeded" ? "failed" : status);
      expect((await stop(await make())).response.status).toBe(status);
    }
  });

  test("No status mapping", async () => {
    const project = await badProject("max_retries: 1\n");
    for (const run of [1, 2]) {
      const { response } = await stop(project);
      const report = JSON.parse(await project.read(`gauntlet_logs/report.${run}.json`)) as object;
      expect(report).toMatchObject({ status: response.status, message: response.message });
      expect(await project.state()).toMatchObject({ status: response.status });
    }
  });

  test("Blocking determination", () => {
    expect(GAUNTLET_STATUSES.filter(isBlockingStatus)).toEqual(["failed"]);
  });
});

describe("Run Executor Function", () => {
  test("No process.exit in executor", async () => {
    const exit = vi.spyOn(process, "exit").mockImplementation((): never => {
      throw new Error("it ended the process");
    });
    const codeBefore = process.exitCode;
    for (const [status, make] of Object.entries(OUTCOMES)) {
      expect((await stopInProcess(await make())).result.status).toBe(status);
    }
    expect(exit).not.toHaveBeenCalled();
    expect(process.exitCode).toBe(codeBefore);
  });

  test("RunResult contains metadata", async () => {
    const failed = await (await badProject()).run();
    expect(failed).toMatchObject({ status: "failed", message: "1 of 1 gate failed: check:src:ok" });
    expect(await readFile(failed.consoleLogPath ?? "", "utf8")).toContain("Status: Failed");
    const passed = await (await goodProject()).run();
    expect(await readFile(passed.consoleLogPath ?? "", "utf8")).toContain("Status: Passed");
    const wrong = await (await OUTCOMES.error()).run();
    expect(wrong.errorMessage).toContain(".gauntlet/config.yml");
    expect(wrong.message).toContain("not verified");
  });
});

describe("Status-Based Decision Making", () => {
  test("Status passed", async () => {
    expectApproved(await stop(await OUTCOMES.passed()), "passed", /all gates passed/);
    const hosted = await stopInHost(await OUTCOMES.passed());
    expect(hosted.shouldStop).toBe(true);
  });

  test("Status passed_with_warnings", async () => {
    const reviewed = await skippedReview();
    const { response } = await reviewed.stop();
    expect(response).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  });

  test("Status retry_limit_exceeded", async () => {
    const project = await OUTCOMES.retry_limit_exceeded();
    // The last allowed failure, and then a further attempt.
    expectApproved(await stop(project), "retry_limit_exceeded", /human review/);
    expectApproved(await stop(project), "retry_limit_exceeded", /human review/);
    expect((await stopInHost(project)).shouldStop).toBe(true);
  });

  test("Status failed", async () => {
    const { response } = await stop(await OUTCOMES.failed());
    expect(response.decision).toBe("block");
    expect(response.reason).toBeTruthy();
    const hosted = await stopInHost(await OUTCOMES.failed());
    expect(hosted).toMatchObject({
      shouldStop: false,
      continueReason: expect.any(String) as string,
    });
  });
});
