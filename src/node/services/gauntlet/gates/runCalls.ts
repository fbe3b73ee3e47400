/** Runs several calls of one command line as if they were one (G32). */
import { monotonicMs } from "@/common/monotonicMs";
import type { ExecEnd, ExecRequest, ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import { plural } from "@/common/text";
import type { ShellCall } from "@/node/services/gauntlet/gates/fileArguments";

type CallsRequest = Omit<ExecRequest, "command" | "stdin" | "timeoutMs" | "logTo"> & {
  readonly timeoutMs: number;
  readonly logTo: NonNullable<ExecRequest["logTo"]>;
};

/**
 * Runs the calls one after another. They share one log and one time limit. The end is that of the call with the worst
 * exit code. A call that does not exit by itself is the last one.
 *
 * @param calls at least one
 */
export async function runCalls(
  runtime: HookRuntime,
  calls: readonly ShellCall[],
  { timeoutMs, logTo, ...request }: CallsRequest
): Promise<Pick<ExecResult, "end" | "durationMs" | "logFailure">> {
  const start = monotonicMs();
  const elapsed = (): number => monotonicMs() - start;
  let worst: ExecEnd = { kind: "exited", code: 0 };
  let logFailure: ExecResult["logFailure"];
  for (const [i, { command, stdin, paths }] of calls.entries()) {
    const isLast = (end: ExecEnd): boolean => i === calls.length - 1 || end.kind !== "exited";
    const title = `Call ${i + 1} of ${calls.length}, with ${plural(paths.length, "file")}`;
    const result = await runtime.exec({
      ...request,
      command,
      stdin,
      // A call that starts at the limit is ended at once.
      timeoutMs: Math.max(1, timeoutMs - elapsed()),
      logTo: {
        path: logTo.path,
        keepBytes: Math.ceil(logTo.keepBytes / calls.length),
        header: `${i === 0 ? (logTo.header ?? "") : ""}${calls.length === 1 ? "" : `${title}\n`}`,
        footer: ({ end }) =>
          isLast(end)
            ? (logTo.footer?.({ end: worstOf(worst, end), durationMs: elapsed() }) ?? "")
            : "",
      },
    });
    worst = worstOf(worst, result.end);
    logFailure ??= result.logFailure;
    if (isLast(result.end)) break;
  }
  return { end: worst, durationMs: elapsed(), ...(logFailure === undefined ? {} : { logFailure }) };
}

/** Returns the worse one of two ends. One that is not an exit is the worst. */
function worstOf(worst: ExecEnd, end: ExecEnd): ExecEnd {
  if (end.kind !== "exited" || worst.kind !== "exited") return end;
  return end.code > worst.code ? end : worst;
}
