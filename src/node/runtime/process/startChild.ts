/** Starts a child process without a terminal, as the leader of a session and of a process group (H14). */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
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

export interface StartedChild {
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

export const startChild: StartChild = async ({ file, args, cwd, env }, { stdin, onStarted }) => {
  try {
    const options = { cwd, env, detached: true } as const;
    const child =
      stdin === "pipe"
        ? spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] })
        : spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    // Without a listener, a late error would end this process (H23a).
    child.on("error", () => undefined);
    if (child.pid === undefined) return err(await once(child, "spawn").catch(asIs));
    onStarted?.(child.pid);
    return ok({ leader: child.pid, child });
  } catch (thrown) {
    // A NUL in an argument is refused before a child exists.
    return err(thrown);
  }
};

/** `once` rejects with the `error` event. */
function asIs(error: unknown): unknown {
  return error;
}
