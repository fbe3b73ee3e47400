import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { setImmediate as endOfTick } from "node:timers/promises";
import { execa } from "execa";
import { err, ok, type Result } from "neverthrow";
import { PIPE_ENCODING } from "@/node/runtime/process/output/readBytes";

/** A program to start. Its environment is passed unchanged, and only `file` is looked up, on its PATH. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Absent: standard input is empty. */
  readonly stdin?: string;
}

export interface SpawnOptions {
  /** Keeps standard input open after `stdin` is written, until the caller ends it. */
  readonly holdStdin?: boolean;
  /** Called as soon as the system has created the process, which may run ahead of its caller from then on. */
  readonly onStarted?: (leader: number) => void;
}

/** A program that leads a session, and so a process group, of its own (H14). */
export interface ProcessGroup {
  /** The process ID of the leader, which is also the number of the group and of the session. */
  readonly leader: number;
  /** Undefined if the program was given none. Never throws: input that is not read is not an error (H13). */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolved when the leader has exited. Its children, and so the pipes, may continue. */
  readonly exited: Promise<Exit>;
  /** Resolved when the leader has exited and no process holds the pipes. */
  readonly closed: Promise<void>;
  /** Lets the host end before the program does. */
  unref(): void;
  /** Closes the host's ends of the pipes, and lets the host end before the program does. */
  release(): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a program without a terminal. Everything that execa would do at its end is turned off: its time limit kills
 * only the leader, its promise waits for the pipes, its cleanup adds a listener per run. Never rejects, and an `error`
 * event of the child or of a pipe never reaches the host, however late it comes (H23a).
 *
 * @returns the error that the system threw if the program could not be started
 */
export async function spawnGroup(
  program: Program,
  { holdStdin = false, onStarted }: SpawnOptions = {}
): Promise<Result<ProcessGroup, unknown>> {
  const start = new ObservedStart(onStarted);
  try {
    const child = start.observe(() =>
      execa(program.file, program.args, {
        cwd: program.cwd,
        env: program.env,
        extendEnv: false,
        stdin: program.stdin === undefined && !holdStdin ? "ignore" : "pipe",
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
    const { pid: leader, stdin, stdout, stderr } = child;
    start.announce(leader);
    const pipes = [stdin, stdout, stderr];
    for (const pipe of pipes) pipe?.on("error", () => undefined);
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => {
        resolve({ code, signal });
      });
    });
    const closed = new Promise<void>((resolve) => {
      child.once("close", () => {
        resolve();
      });
    });
    if (program.stdin !== undefined) stdin?.write(program.stdin);
    if (!holdStdin) stdin?.end();
    return ok({
      leader,
      stdin: stdin ?? undefined,
      stdout,
      stderr,
      exited,
      closed,
      unref() {
        for (const pipe of pipes) if (pipe instanceof Socket) pipe.unref();
        child.unref();
      },
      release() {
        for (const pipe of pipes) pipe?.destroy();
        child.unref();
      },
    });
  } catch (thrown) {
    // A NUL in an argument is refused before a child exists.
    return err(await start.errorOr(thrown));
  }
}

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
  readonly #onStarted: SpawnOptions["onStarted"];
  #isAnnounced = false;
  #error: unknown;

  constructor(onStarted: SpawnOptions["onStarted"]) {
    this.#onStarted = onStarted;
  }

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
    this.#onStarted?.(pid);
  }

  async errorOr(thrown: unknown): Promise<unknown> {
    await endOfTick();
    return this.#error ?? thrown;
  }
}
