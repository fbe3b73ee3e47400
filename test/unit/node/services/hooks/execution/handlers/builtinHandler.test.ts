import { once } from "node:events";
import { expect, test } from "vitest";
import { BuiltinHooks, type BuiltinHook } from "@/node/services/hooks/contract/builtinRegistry";
import { HookProject, stopWith, type StopRequest } from "@test/helpers/hooks/hookProject";

/** Runs one in-process handler that is configured in the project's settings. */
async function run(hook: BuiltinHook, fields: object = {}, request: StopRequest = {}) {
  const builtins = new BuiltinHooks().register("check", hook);
  return await stopWith([{ type: "builtin", name: "check", ...fields }], { builtins, ...request });
}

test("reads the result like the JSON of a command that exits with 0", async () => {
  const blocked = await run(() => Promise.resolve({ decision: "block", reason: "R" }));
  expect(blocked).toMatchObject({ shouldStop: false, continueReason: "R" });
  const ended = await run(() => Promise.resolve({ continue: false, stopReason: "S" }));
  expect(ended).toMatchObject({ shouldStop: true, stopReason: "S" });
  const silent = await run(() => Promise.resolve(undefined));
  expect(silent).toMatchObject({ shouldStop: true, runs: [{ outcome: "pass", title: "check" }] });
  expect(silent.warnings).toBeUndefined();
  const odd = await run(() => Promise.resolve({ decision: "block", reason: " " }));
  expect(odd.warnings).toEqual([expect.stringContaining("needs a reason")]);
});

test("aborts its signal at the limit, and ignores a later result", async () => {
  let heard = false;
  const result = await run(
    async ({ signal, timeoutMs }) => {
      expect(timeoutMs).toBe(100);
      await once(signal, "abort");
      heard = true;
      return { decision: "block", reason: "late" };
    },
    { timeout: 0.1 }
  );
  expect(heard).toBe(true);
  expect(result.shouldStop).toBe(true);
  expect(result.warnings).toEqual([expect.stringContaining("timed out after 0.1 s")]);
});

test("passes the workspace, the input, and whether the handler requested the continuation", async () => {
  const seen: unknown[] = [];
  const hook: BuiltinHook = ({ projectDir, input, requestedContinuation }) => {
    seen.push([projectDir, input.last_assistant_message, requestedContinuation]);
    return Promise.resolve(undefined);
  };
  const builtins = new BuiltinHooks().register("check", hook, { events: ["Stop"] });
  const project = await HookProject.create();
  await project.stop({ builtins, input: { last_assistant_message: undefined } });
  const name = "builtin:Stop[0]";
  await project.stop({ builtins, limit: { blockingHooks: new Set([name]) } });
  expect(seen).toEqual([
    [project.dir, "", false],
    [project.dir, "All done.", true],
  ]);
});
