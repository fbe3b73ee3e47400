/** Runs hooks that are functions of this process (H29). */
import { builtinName } from "@/node/services/hooks/contract/builtinName";
import pTimeout, { TimeoutError } from "p-timeout";
import { describeError } from "@/common/errors";
import { isJsonObject } from "@/common/json";
import { KILL_GRACE_MS } from "@/common/limits";
import type { BuiltinHook } from "@/node/services/hooks/contract/builtinHooks";
import {
  originOf,
  type HandlerResult,
  type HandlerRun,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { readObject } from "@/node/services/hooks/execution/parseOutput";
import {
  describeTimeout,
  failed,
  judgeReading,
  emptyVerdict,
  type HookVerdict,
} from "@/node/services/hooks/execution/verdict";
import { handlerFailed, RETURNED_NO_OBJECT } from "@/node/services/hooks/messages/execution";

export async function runBuiltin(
  builtin: BuiltinHook,
  run: HandlerRun,
  context: StopContext
): Promise<HandlerResult> {
  const verdict = await judge(builtin, run, context);
  return { verdict, stdout: "", stderr: "", stdoutBytes: 0, stderrBytes: 0 };
}

/**
 * Stops waiting at the time limit and aborts the handler's signal. The handler gets the same grace period as a process
 * to clean up.
 */
async function judge(
  builtin: BuiltinHook,
  { hook, timeoutMs, signal, onOutput }: HandlerRun,
  { runtime, projectDir, input, requestedContinuation, checkout, ...context }: StopContext
): Promise<HookVerdict> {
  if (isAborted(signal)) return emptyVerdict("cancelled");
  const limit = new AbortController();
  const stopped = AbortSignal.any([signal, limit.signal]);
  const [part] = builtinName(hook).flatMap((name) => checkout.get(name) ?? []);
  const work = callSafely(builtin, {
    runtime,
    projectDir,
    input,
    signal: stopped,
    timeoutMs,
    requestedContinuation: requestedContinuation.has(hook.name),
    turnId: context.turnId,
    turnBegan: context.turnBegan,
    onOutput,
    ...(part === undefined ? {} : { checkout: part }),
  });
  try {
    const output: unknown = (await pTimeout(work, { milliseconds: timeoutMs, signal })) ?? {};
    if (!isJsonObject(output)) return failed(handlerFailed(RETURNED_NO_OBJECT));
    const verdict = judgeReading(readObject(output, hook.event));
    return output.unverified === true ? { ...verdict, unverified: true } : verdict;
  } catch (thrown) {
    if (isAborted(signal)) {
      await settleWithin(work, KILL_GRACE_MS);
      return emptyVerdict("cancelled");
    }
    if (!(thrown instanceof TimeoutError)) return failed(handlerFailed(describeError(thrown)));
    limit.abort();
    await settleWithin(work, KILL_GRACE_MS);
    return failed(
      describeTimeout({ event: hook.event, name: hook.name, timeoutMs, origin: originOf(hook) })
    );
  }
}

/** Reads the flag anew on each call, since it can change during an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Turns an exception before the handler's first await into a rejection. */
async function callSafely(
  builtin: BuiltinHook,
  context: Parameters<BuiltinHook>[0]
): ReturnType<BuiltinHook> {
  return await builtin(context);
}

async function settleWithin(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const settled = work.then(
    () => undefined,
    () => undefined
  );
  await pTimeout(settled, { milliseconds, fallback: () => undefined });
}
