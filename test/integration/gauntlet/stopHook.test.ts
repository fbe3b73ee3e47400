import { expect, test, describe } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { gauntletHook } from "@/node/services/gauntlet/hook/stopHook";
import { BuiltinHooks, type StopHooksResult } from "@/index";
import { runSessionStop, type SessionStopOptions } from "@/node/services/hooks/stopHookExecutor";
import { brokenProject, CHECK, CONFIG } from "@test/helpers/gauntlet/projects";
import { expectSoon } from "@test/helpers/soon";

interface Stop {
  readonly env?: NodeJS.ProcessEnv;
  readonly continued?: "by the gauntlet" | "by another hook";
  readonly options?: SessionStopOptions;
}

async function stop(project: GauntletProject, at: Stop = {}): Promise<StopHooksResult> {
  const hook = gauntletHook({ env: at.env ?? {}, home: project.path(".git/home") });
  const builtins = new BuiltinHooks().register("gauntlet", hook, { events: ["Stop"] });
  const asked = at.continued === "by the gauntlet" ? ["builtin:Stop[0]"] : [];
  return await runSessionStop(
    project.runtime,
    project.dir,
    stopInput(project.path("src"), project.path(".git/chat.jsonl"), {
      stop_hook_active: at.continued !== undefined,
    }),
    {
      builtins,
      limit: { blockingHooks: new Set(asked) },
      load: { env: {}, home: project.path(".git/home") },
      ...at.options,
    }
  );
}

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
});

test("a continuation is not verified if verify_fixes is off (G27)", async () => {
  const project = await brokenProject("stop_hook: {verify_fixes: false}\n");
  expect((await stop(project)).shouldStop).toBe(false);
  expect((await stop(project, { continued: "by the gauntlet" })).shouldStop).toBe(true);
});

test.each<[string, string, Stop]>([
  ["turned off in the project", "stop_hook: {enabled: false}\n", {}],
  [
    "started by a gauntlet's own gate",
    "",
    { env: { GAUNTLET_STOP_HOOK_ACTIVE: String(process.pid) } },
  ],
])("runs no gate and gives no message if it is %s", async (_, config, at) => {
  const project = await brokenProject(config);
  const result = await stop(project, at);
  expect(result.shouldStop).toBe(true);
  expect(result.systemMessages).toBeUndefined();
  expect(await project.logs()).toEqual([]);
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
  await expectSoon(() => project.read(".git/up").catch(() => "")).toBe("up\n");
  interrupt.abort();
  expect(await stopped).toMatchObject({ shouldStop: true, cancelled: true });
  await Promise.all(trailing);
  expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  expect(await project.state()).toMatchObject({ status: "infrastructure_error" });
});

test('the reason says that the agent cannot stop only if that is true, and asks for the words "not verified" in the last one of a turn only (G26)', async () => {
  const project = await GauntletProject.create(`max_retries: 2\n${CONFIG}`, CHECK);
  const asks: boolean[] = [];
  for (const text of ["a", "b"]) {
    await project.write("src/bad", text);
    const { result } = await stopAt(project);
    const reason = await stopReason(project.runtime, result);
    asks.push(reason.includes('end your answer with "not verified"'));
    const other = await stopReason(project.runtime, result, { canStopOnlyWhenDone: false });
    expect(other).toMatch(/^Gauntlet gates did not pass\. .*\n\n\*\*Fix these failures now\.\*\*/);
    expect(other).not.toContain("You cannot stop");
    expect(other).not.toContain("Trust level");
    expect(other).toContain("When you may stop");
  }
  expect(asks).toEqual([false, true]);
});
