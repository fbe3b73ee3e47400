/**
 * Runs programs like `runProgram`, but starts them with execa: for hosts, for the library and in the spawner. Commands
 * that must start fast use Node's `spawn` instead. Reports process IDs and failed starts, which execa would report too
 * late.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as endOfTick } from "node:timers/promises";
import { execa } from "execa";
import { err, ok } from "neverthrow";
import { PIPE_ENCODING } from "@/node/runtime/process/output/OutputCapture";
import { runProgram } from "@/node/runtime/process/runProgram";
import type { StartChild, StartOptions } from "@/node/runtime/process/spawnGroup";

/** Works like `runProgram`, with a child that execa starts. */
export const runByExeca: typeof runProgram = (program, limits) =>
  runProgram(program, limits, startByExeca);

/**
 * Starts a child with execa, without the features of execa that conflict with `runProgram`: its time limit would kill
 * only the leader, its promise would wait for the pipes, and its cleanup would add a listener per run. An `error` event
 * of the child never reaches the host, however late it comes (H23a).
 */
const startByExeca: StartChild = async ({ file, args, cwd, env }, { stdin, onStarted }) => {
  const start = new ObservedStart(onStarted);
  try {
    const child = start.observe(() =>
      execa(file, args, {
        cwd,
        env,
        extendEnv: false,
        stdin,
        detached: true,
        cleanup: false,
        buffer: false,
        // Ignored by Node, but Bun decodes the pipes.
        encoding: PIPE_ENCODING,
        reject: false,
      })
    );
    if (child.pid === undefined) {
      const result = await child;
      return err(result.cause ?? result);
    }
    start.announce(child.pid);
    return ok({ leader: child.pid, child });
  } catch (thrown) {
    // A NUL in an argument is refused before a child exists.
    return err(await start.errorOr(thrown));
  }
};

/**
 * Observes through Node what execa reports too late.
 *
 * - The process ID: execa needs up to 8 ms more before it returns. A host killed in that time would leave a program
 *   that is not watched.
 * - Start errors: if no file descriptor is free, Node creates a child without streams and reports the failure as an
 *   event. execa throws because of the missing streams before it listens to that event, which would end the host
 *   (H23a).
 */
class ObservedStart {
  #isAnnounced = false;
  #error: unknown;

  constructor(private readonly onStarted: StartOptions["onStarted"]) {}

  observe<T>(start: () => T): T {
    const listen = (message: unknown): void => {
      const { process: child } = message as { process: ChildProcess };
      child.on("error", (error) => (this.#error ??= error));
      this.#announcePid(child);
    };
    subscribe("child_process", listen);
    try {
      return start();
    } finally {
      unsubscribe("child_process", listen);
    }
  }

  /** Reports `pid` when Node sets it, which is right after the start. Node publishes the child before that. */
  #announcePid(child: ChildProcess): void {
    Object.defineProperty(child, "pid", {
      configurable: true,
      enumerable: true,
      get: () => undefined,
      set: (pid: number | undefined) => {
        Object.defineProperty(child, "pid", { value: pid, writable: true });
        if (pid !== undefined) this.announce(pid);
      },
    });
  }

  /** Reports the process ID, once. Bun does not publish the children that it starts. */
  announce(pid: number): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.onStarted?.(pid);
  }

  async errorOr(thrown: unknown): Promise<unknown> {
    await endOfTick();
    return this.#error ?? thrown;
  }
}
