/** The trust of programs that call the API (H31), and the row that continues a turn (H27). */
import { expect, test } from "vitest";
import { NO_DEFINITIONS } from "@/node/services/hooks/settings/hookDefinitions";
import { runStopHooks, type RunStopHooksOptions } from "@/node/services/hooks/stopHookExecutor";
import { StopHookController } from "@/node/services/hooks/stop/stopHookController";
import { continuationRow, continuationsInTurn } from "@/node/services/hooks/transcript/chatRows";
import { trustEverything } from "@/node/services/hooks/trust/trustPolicy";
import { userTrust } from "@/node/services/hooks/trust/userTrust";
import { group, HookProject, projectWith } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";

const BLOCKING = ["echo R >&2; exit 2"];

async function stop(project: HookProject, options: RunStopHooksOptions = {}) {
  const { runtime, dir, input, load } = project;
  return await runStopHooks(runtime, dir, input, { load, ...options });
}

test("runStopHooks has no warning without hooks of the checkout, or if the program trusts everything itself (H31)", async () => {
  const project = await HookProject.create();
  const settings = { hooks: { Stop: [group(BLOCKING)] } };
  await project.configureUser(settings);
  const own = await stop(project);
  const load = { ...project.load, trust: trustEverything };
  const trusted = await stop(await project.configure(settings), { load });
  for (const { shouldStop, warnings } of [own, trusted]) {
    expect([shouldStop, warnings]).toEqual([false, undefined]);
  }
});

test("userTrust runs what the user has trusted with the command, for a stop and a session (H31)", async () => {
  const project = await projectWith(BLOCKING);
  const { runtime, dir: projectDir, home, load, input } = project;
  const trust = userTrust(runtime, { home, env: {} });
  const controller = () =>
    new StopHookController({ runtime, projectDir, event: "Stop", load, trust });
  const turn = { finish: "stop", hasQueuedInput: () => false, input } as const;
  expect(await stop(project, { trust })).toMatchObject({ shouldStop: true, runs: [] });
  expect(await controller().turnEnded(turn)).toMatchObject({ action: "end" });
  await muxHooks(project, ["trust", "--yes"], { env: { MUX_HOOKS_TRUST: "" } });
  expect(await stop(project, { trust })).toMatchObject({ shouldStop: false });
  expect(await controller().turnEnded(turn)).toMatchObject({ action: "continue" });
});

test("userTrust names MUX_HOOKS_TRUST=always only for a host that shows it (H31)", async () => {
  const { runtime, home, dir: projectDir } = await projectWith(BLOCKING);
  const place = { home, env: { MUX_HOOKS_TRUST: "always" } };
  const definitions = { ...NO_DEFINITIONS, scripts: { ".mux/stop": "" } };
  const request = { projectDir, items: [], definitions, purpose: "look" } as const;
  expect(await userTrust(runtime, place).decide(request)).toEqual({ trusted: true });
  expect(await userTrust(runtime, place, { namesVariable: true }).decide(request)).toMatchObject({
    notice: expect.stringContaining("MUX_HOOKS_TRUST=always is set") as string,
  });
});

test("a row of continuationRow is counted after a restart (H27)", () => {
  const user = { role: "user", parts: [], metadata: {} };
  const rows = [user, continuationRow("a"), { role: "assistant" }, continuationRow("b")];
  expect(continuationsInTurn(JSON.parse(JSON.stringify(rows)) as unknown[])).toBe(2);
  expect(continuationsInTurn([...rows, user])).toBe(0);
});
