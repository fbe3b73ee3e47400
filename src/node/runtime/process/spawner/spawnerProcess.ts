/**
 * The program of the spawner process, which starts programs for a large host, in which each start would be a long
 * pause, and sends their output and results to it. When its channel to the host closes, it ends every running program
 * and exits.
 */
import { setImmediate } from "node:timers";
import { runByExeca } from "@/node/runtime/process/runByExeca";
import type { FromSpawner, RunRequest, ToSpawner } from "@/node/runtime/process/spawner/Spawner";
import type { LogTarget } from "@/node/runtime/HookRuntime";

interface Running {
  readonly cancellation: AbortController;
  takeFooter?: (text: string) => void;
}

const running = new Map<number, Running>();

/** Sends a message. Ignores errors: a host that is gone needs no reply. */
function send(message: FromSpawner): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

async function run({ id, program, limits, log, isShown, isCancelled }: RunRequest): Promise<void> {
  const own: Running = { cancellation: new AbortController() };
  running.set(id, own);
  if (isCancelled) own.cancellation.abort();
  const result = await runByExeca(program, {
    ...limits,
    logTo: log === undefined ? undefined : withFooter(id, own, log),
    onOutput: isShown
      ? (text, isError) => {
          send({ kind: "output", id, text, isError });
        }
      : undefined,
    signal: own.cancellation.signal,
    onStarted: (leader) => {
      send({ kind: "started", id, leader });
    },
  });
  running.delete(id);
  send({ kind: "result", id, result });
}

/** Adds a footer that the host provides once the program's end is known. */
function withFooter(
  id: number,
  own: Running,
  { hasFooter, ...log }: NonNullable<RunRequest["log"]>
): LogTarget {
  if (!hasFooter) return log;
  return {
    ...log,
    footer: (ended) =>
      new Promise((resolve) => {
        own.takeFooter = resolve;
        send({ kind: "ended", id, ended });
      }),
  };
}

process.on("message", (message: ToSpawner) => {
  switch (message.kind) {
    case "run":
      void run(message);
      break;
    case "cancel":
      // Output printed before the cancellation is already in the pipes, and is read first.
      setImmediate(() => running.get(message.id)?.cancellation.abort());
      break;
    case "footer":
      running.get(message.id)?.takeFooter?.(message.text);
      break;
  }
});
process.once("disconnect", () => {
  for (const { cancellation } of running.values()) cancellation.abort();
});
// A hook may send a signal to its parent. The spawner serves all hooks, and ends only with the host.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

send({ kind: "ready" });
