import type { Readable } from "node:stream";
import { err, ok, type Result } from "neverthrow";
import { OutputCapture } from "@/node/runtime/process/captureOutput";
import { openRemoteLog, type RemoteLog } from "@/node/runtime/remote/RemoteLog";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { CapturedOutput, ExecRequest, ExecResult, FileFailure } from "@/node/runtime/Runtime";

/** Where that which a program prints goes: to memory, or to a file on the far side. */
export interface RemoteOutput {
  /** @param isStopped whether we have asked for the program's end */
  take(name: "stdout" | "stderr", bytes: Buffer, isStopped: boolean): void;
  /** Is handed what to pause where the output comes faster than it can be written. */
  throttle(streams: readonly Readable[]): void;
  close(
    ended: Pick<ExecResult, "end" | "durationMs">
  ): Promise<Pick<ExecResult, "stdout" | "stderr" | "logFailure">>;
}

export async function openRemoteOutput(
  shell: RemoteShell,
  { keepBytes, logTo, signal }: ExecRequest
): Promise<Result<RemoteOutput, FileFailure>> {
  if (logTo === undefined || signal?.aborted) return ok(keptOutput(keepBytes));
  const log = await openRemoteLog(shell, logTo);
  return log.isErr() ? err(log.error) : ok(loggedOutput(log.value));
}

/** Keeps the ends of both streams in memory (H20). */
function keptOutput(keepBytes: number | undefined): RemoteOutput {
  const captures = { stdout: new OutputCapture(keepBytes), stderr: new OutputCapture(keepBytes) };
  return {
    take(name, bytes, isStopped) {
      if (!isStopped) captures[name].push(bytes);
    },
    throttle: () => undefined,
    close: () =>
      Promise.resolve({ stdout: captures.stdout.read(), stderr: captures.stderr.read() }),
  };
}

function loggedOutput(log: RemoteLog): RemoteOutput {
  const counts = { stdout: 0, stderr: 0 };
  return {
    take(name, bytes) {
      counts[name] += bytes.length;
      log.append(bytes);
    },
    throttle(streams) {
      log.throttle(streams);
    },
    async close(ended) {
      const failure = await log.close(ended);
      return {
        stdout: nothingKept(counts.stdout),
        stderr: nothingKept(counts.stderr),
        ...(failure === undefined ? {} : { logFailure: failure }),
      };
    },
  };
}

function nothingKept(bytes: number): CapturedOutput {
  return { text: "", bytes, truncated: bytes > 0 };
}
