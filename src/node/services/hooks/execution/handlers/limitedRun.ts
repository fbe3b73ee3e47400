/** Waits for handlers that run in this process, up to their time limit and the user's interrupt (H21, H22). */
import pTimeout, { TimeoutError } from "p-timeout";
import { describeError } from "@/common/errors";
import { KILL_GRACE_MS } from "@/common/limits";
import {
  originOf,
  type HandlerResult,
  type HandlerRun,
} from "@/node/services/hooks/execution/handlers/types";
import {
  describeTimeout,
  emptyVerdict,
  failed,
  type HookVerdict,
} from "@/node/services/hooks/execution/verdict";
import { handlerFailed } from "@/node/services/hooks/messages/execution";

/**
 * Returns the result of `work`, whose signal is aborted at the time limit and at an interrupt. It then gets the same
 * grace period as a process to clean up. The timer keeps the process running, even if nothing else does.
 */
export async function runLimited(
  { hook, timeoutMs, signal }: HandlerRun,
  work: (stopped: AbortSignal) => Promise<HandlerResult>
): Promise<HandlerResult> {
  if (isAborted(signal)) return resultOf(emptyVerdict("cancelled"));
  const limit = new AbortController();
  // The function is async, so that an exception before its first await is a rejection.
  const start = async () => await work(AbortSignal.any([signal, limit.signal]));
  const running = start();
  try {
    return await pTimeout(running, { milliseconds: timeoutMs, signal });
  } catch (thrown) {
    if (!isAborted(signal) && !(thrown instanceof TimeoutError)) {
      return resultOf(failed(handlerFailed(describeError(thrown))));
    }
    limit.abort();
    const settled = running.then(
      () => undefined,
      () => undefined
    );
    await pTimeout(settled, { milliseconds: KILL_GRACE_MS, fallback: () => undefined });
    if (isAborted(signal)) return resultOf(emptyVerdict("cancelled"));
    const about = { event: hook.event, name: hook.name, timeoutMs, origin: originOf(hook) };
    return resultOf(failed(describeTimeout(about)));
  }
}

/** Reads the flag anew on each call, since it can change during an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** @param output the answer of a server or a model, for the record */
export function resultOf(verdict: HookVerdict, output: string | Uint8Array = ""): HandlerResult {
  const stdout = typeof output === "string" ? output : new TextDecoder().decode(output);
  const stdoutBytes = typeof output === "string" ? Buffer.byteLength(output) : output.length;
  return { verdict, stdout, stderr: "", stdoutBytes, stderrBytes: 0 };
}
