/**
 * Starts a program as the leader of its own session and process group (H14), with Node's `spawn` or another starter.
 * Errors of the process and its pipes never end the host (H23a).
 */
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { err, ok, type Result } from "neverthrow";

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

export interface StartOptions {
  readonly stdin: "ignore" | "pipe";
  /** Called as soon as the system has created the process, which may run ahead of its caller from then on. */
  readonly onStarted?: ((leader: number) => void) | undefined;
}

interface StartedChild {
  /** Its process ID, which is also the number of the group and of the session. */
  readonly leader: number;
  readonly child: Pick<ChildProcess, "once" | "unref"> & {
    readonly stdin: Writable | null;
    readonly stdout: Readable;
    readonly stderr: Readable;
  };
}

/** Never rejects. Fails with the error that the system threw if the program could not be started. */
export type StartChild = (
  program: Program,
  options: StartOptions
) => Promise<Result<StartedChild, unknown>>;

/** Starts a child with Node's `spawn`. */
const startChild: StartChild = async ({ file, args, cwd, env }, { stdin, onStarted }) => {
  try {
    const options = { cwd, env, detached: true } as const;
    const child =
      stdin === "pipe"
        ? spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] })
        : spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    // Without a listener, a late error would end this process (H23a).
    child.on("error", () => undefined);
    if (child.pid === undefined) {
      // `once` rejects with the `error` event.
      return err(await once(child, "spawn").catch((error: unknown) => error));
    }
    onStarted?.(child.pid);
    return ok({ leader: child.pid, child });
  } catch (thrown) {
    // A NUL in an argument is refused before a child exists.
    return err(thrown);
  }
};

interface SpawnOptions extends Pick<StartOptions, "onStarted"> {
  /** Keeps standard input open after `stdin` is written, until the caller ends it. */
  readonly holdStdin?: boolean;
  readonly start?: StartChild | undefined;
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
  readonly closed: Promise<unknown>;
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
 * Starts a program without a terminal. Never rejects, and an `error` event of the child or of a pipe never reaches the
 * host, however late it comes (H23a).
 *
 * @returns the error that the system threw if the program could not be started
 */
export async function spawnGroup(
  program: Program,
  { holdStdin = false, onStarted, start = startChild }: SpawnOptions = {}
): Promise<Result<ProcessGroup, unknown>> {
  const isWritten = program.stdin !== undefined || holdStdin;
  const started = await start(program, { stdin: isWritten ? "pipe" : "ignore", onStarted });
  return started.map((running) => groupOf(running, program, holdStdin));
}

function groupOf(
  { leader, child }: StartedChild,
  program: Program,
  holdStdin: boolean
): ProcessGroup {
  const { stdin, stdout, stderr } = child;
  const pipes = [stdin, stdout, stderr];
  for (const pipe of pipes) pipe?.on("error", () => undefined);
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const closed = new Promise<unknown>((resolve) => {
    child.once("close", resolve);
  });
  if (program.stdin !== undefined) stdin?.write(program.stdin);
  if (!holdStdin) stdin?.end();
  return {
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
  };
}
