import { describe, expect, test } from "vitest";
import { gauntletHook } from "@/node/services/gauntlet/hook/stopHook";
import { BuiltinHooks, type StopHooksResult } from "@/index";
import { runSessionStop, type SessionStopOptions } from "@/node/services/hooks/stopHookExecutor";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";

/** One check at `src`, which passes if `src/bad` does not exist. */
const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad || { echo bad is there; exit 3; }\n" };

interface Stop {
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: Date;
  readonly continued?: "by the gauntlet" | "by another hook";
  readonly options?: SessionStopOptions;
}

async function stop(project: GauntletProject, at: Stop = {}): Promise<StopHooksResult> {
  const hook = gauntletHook({
    env: at.env ?? {},
    home: project.path(".git/home"),
    now: () => at.now ?? new Date(),
  });
  const builtins = new BuiltinHooks().register("gauntlet", hook, { events: ["Stop"] });
  const asked = at.continued === "by the gauntlet" ? ["builtin:Stop[0]"] : [];
  return await runSessionStop(
    project.runtime,
    project.dir,
    {
      session_id: "s",
      transcript_path: project.path(".git/chat.jsonl"),
      cwd: project.path("src"),
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: at.continued !== undefined,
    },
    {
      builtins,
      requestedContinuation: new Set(asked),
      load: { env: {}, home: project.path(".git/home") },
      ...at.options,
    }
  );
}

const create = restoring(
  (config: string) => GauntletProject.create(config, CHECK),
  ({ dir }) => [dir]
);

async function brokenProject(more = ""): Promise<GauntletProject> {
  const project = await create(`${more}${CONFIG}`);
  await project.write("src/bad", "x");
  return project;
}

const later = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

describe("a failure sends the agent back (G26)", () => {
  test("with the gate, the end of its log and the paths of the logs", async () => {
    const project = await brokenProject();
    const { shouldStop, continueReason = "", systemMessages } = await stop(project);
    expect(shouldStop).toBe(false);
    expect(continueReason.split("\n")[0]).toBe(
      "Gauntlet gates did not pass. 1 of 1 gate failed: check:src:ok, attempt 1 of 4."
    );
    expect(continueReason).toContain("- check:src:ok: Exited with code 3");
    expect(continueReason).toContain(`Log: ${project.path("gauntlet_logs/check_src_ok.1.log")}\n`);
    expect(continueReason).toContain("      | bad is there");
    expect(continueReason).toContain(project.path("gauntlet_logs/console.1.log"));
    for (const end of ["Passed", "Passed with warnings", "Retry limit exceeded"]) {
      expect(continueReason).toContain(`"Status: ${end}"`);
    }
    expect(continueReason).not.toContain("agent-gauntlet");
    const [failed, offer, ...others] = (systemMessages ?? []).join("\n").split("\n");
    expect(failed).toBe("Gauntlet: 1 of 1 gate failed: check:src:ok, attempt 1 of 4");
    // The check has never passed here (G45).
    expect(offer).toMatch(/^Gauntlet: check:src:ok: its failure may be older than the change\. /);
    expect(others).toEqual([]);
  });

  test("also if another hook continued, until the gates pass, and then the agent may stop (G27)", async () => {
    const project = await brokenProject();
    for (const continued of [undefined, "by another hook"] as const) {
      expect((await stop(project, { continued })).shouldStop).toBe(false);
    }
    await project.remove("src/bad");
    const after = await stop(project, { continued: "by the gauntlet" });
    expect(after.shouldStop).toBe(true);
    expect(after.systemMessages).toBeUndefined();
  });

  test("until the retry limit, and then a human review is required", async () => {
    const project = await brokenProject("max_retries: 0\n");
    const { shouldStop, systemMessages } = await stop(project);
    expect(shouldStop).toBe(true);
    expect(systemMessages?.[0]).toContain("human review needed");
  });
});

test("a continuation is not verified if verify_fixes is off (G27)", async () => {
  const project = await brokenProject("stop_hook: {verify_fixes: false}\n");
  expect((await stop(project)).shouldStop).toBe(false);
  expect((await stop(project, { continued: "by the gauntlet" })).shouldStop).toBe(true);
});

describe("runs no gate and gives no message", () => {
  test.each<[string, string, Stop]>([
    ["turned off in the project", "stop_hook: {enabled: false}\n", {}],
    [
      "started by a gauntlet's own gate",
      "",
      { env: { GAUNTLET_STOP_HOOK_ACTIVE: String(process.pid) } },
    ],
  ])("%s", async (_, config, at) => {
    const project = await brokenProject(config);
    const result = await stop(project, at);
    expect(result.shouldStop).toBe(true);
    expect(result.systemMessages).toBeUndefined();
    expect(await project.logs()).toEqual([]);
  });

  test("in a project without a gauntlet", async () => {
    const project = await brokenProject();
    await project.remove(".gauntlet");
    const result = await stop(project);
    expect(result).toMatchObject({ shouldStop: true, runs: [{ outcome: "pass" }] });
    expect(result.systemMessages).toBeUndefined();
  });
});

describe("the interval (G6)", () => {
  const passed = restoring(
    async (): Promise<GauntletProject> => {
      const project = await GauntletProject.create(CONFIG, CHECK);
      await project.write("src/new", "x");
      await stop(project);
      await project.write("src/bad", "x");
      return project;
    },
    ({ dir }) => [dir]
  );

  const TEN = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" };

  test("that a person set skips a recent run, but not an older one (G27)", async () => {
    const project = await passed();
    expect((await stop(project, { env: TEN, now: later(9) })).shouldStop).toBe(true);
    expect((await stop(project, { env: TEN, now: later(11) })).shouldStop).toBe(false);
  });

  test("does not apply to a host by default (G27)", async () => {
    const project = await passed();
    expect((await stop(project, { now: later(1) })).shouldStop).toBe(false);
  });
});

test("a broken configuration is reported to the user, and the agent may stop", async () => {
  const project = await brokenProject();
  await project.write(".gauntlet/config.yml", "entry_points: 3\n");
  const { shouldStop, systemMessages } = await stop(project);
  expect(shouldStop).toBe(true);
  expect(systemMessages?.[0]).toContain(".gauntlet/config.yml:1:");
});

test("a user interrupt ends the run, blocks nothing and releases the lock (G28)", async () => {
  const project = await GauntletProject.create(
    "entry_points:\n  - path: src\n    checks: [slow]\n",
    { slow: "command: echo up > ../.git/up; sleep 600\n" }
  );
  await project.write("src/new", "x");
  const interrupt = new AbortController();
  const trailing: Promise<unknown>[] = [];
  const stopped = stop(project, {
    options: {
      abortSignal: interrupt.signal,
      onDeferredWork: (work) => {
        trailing.push(work);
      },
    },
  });
  await expect
    .poll(() => project.read(".git/up").catch(() => ""), { timeout: 10_000 })
    .toBe("up\n");
  interrupt.abort();
  expect(await stopped).toMatchObject({ shouldStop: true, cancelled: true });
  await Promise.all(trailing);
  expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  expect(await project.state()).toMatchObject({ status: "infrastructure_error" });
});
