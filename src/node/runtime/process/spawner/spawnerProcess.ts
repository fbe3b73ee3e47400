/**
 * The spawner: starts programs for a large host, for which each start of its own would be a long pause. It lives as
 * long as the channel to the host does; at its end it ends every program that still runs, and goes.
 */
import { setImmediate } from "node:timers";
import { runProgram } from "@/node/runtime/process/runProgram";
import type { FromSpawner, RunRequest, ToSpawner } from "@/node/runtime/process/spawner/messages";
import type { LogTarget } from "@/node/runtime/HookRuntime";

interface Running {
  readonly cancellation: AbortController;
  takeFooter?: (text: string) => void;
}

const running = new Map<number, Running>();

/** A host that is gone needs no answer. */
function send(message: FromSpawner): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

async function run({ id, program, limits, log, isCancelled }: RunRequest): Promise<void> {
  const own: Running = { cancellation: new AbortController() };
  running.set(id, own);
  if (isCancelled) own.cancellation.abort();
  const result = await runProgram(program, {
    ...limits,
    ...(log === undefined ? {} : { logTo: withFooter(id, own, log) }),
    signal: own.cancellation.signal,
    onStarted: (leader) => {
      send({ kind: "started", id, leader });
    },
  });
  running.delete(id);
  send({ kind: "result", id, result });
}

/** What it says is for the host to tell, once it is known how the program ended. */
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
      // What has been printed before it is in the pipes by now, and is to be heard first.
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
// A hook may mean to end its parent; the spawner is for all of them, and ends with the host alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

send({ kind: "ready" });
