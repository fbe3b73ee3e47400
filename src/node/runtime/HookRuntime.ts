/**
 * The port through which everything reaches a workspace. Nothing above it knows whether the workspace
 * is on this machine, behind SSH, or in a container.
 */
import type { Result } from "neverthrow";

export type HookRuntime = LocalHookRuntime | RemoteHookRuntime;

interface CommonRuntime extends Files {
  /** The name of the machine in messages: `local`, `ssh://host`. */
  readonly label: string;
  /** The machine that this program itself runs on: the user's settings and the session folder are there. */
  readonly host: Files;
  /** Runs a program to its end. Never rejects: every failure is an {@link ExecEnd}. */
  exec(request: ExecRequest): Promise<ExecResult>;
}

/** The workspace is on the machine of `host`. */
export interface LocalHookRuntime extends CommonRuntime {
  readonly isRemote: false;
}

/** The workspace is on another machine than `host`. */
export interface RemoteHookRuntime extends CommonRuntime {
  readonly isRemote: true;
  /**
   * Returns a private folder (mode 0700) on the workspace's machine. Every call returns the same folder. It is removed
   * when the runtime is disposed.
   */
  scratchDir(): Promise<Result<string, FileFailure>>;
}

/**
 * A program with its arguments, or a command line for a shell: `bash -c` where the workspace has bash,
 * else `sh -c`, never a login shell. `shell` names another shell.
 */
export type Command =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly script: string; readonly shell?: string };

export interface ExecRequest {
  readonly command: Command;
  /** Absolute. */
  readonly cwd: string;
  /** Added to the environment of the workspace's machine. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names taken out of that environment first; `NAME_*` stands for every name with that beginning. */
  readonly unsetEnv?: readonly string[];
  /** Names that stay whatever `unsetEnv` says; `NAME_*` as there. */
  readonly passEnv?: readonly string[];
  /** Written to standard input, which is then closed. A program that does not read it is no error. */
  readonly stdin?: string;
  /** Milliseconds, then the whole process tree is ended (H21). Absent: no limit. */
  readonly timeoutMs?: number;
  /** Ends the whole process tree when aborted (H22). */
  readonly signal?: AbortSignal;
  /** How many bytes of each stream are kept, its first and its last half; the rest is counted (H20). */
  readonly keepBytes?: number;
  /** Both streams go to a file as they come, and nothing of them is in the result but how many bytes there were. */
  readonly logTo?: LogTarget;
}

/** A file that a program's output is appended to; made with mode 0600, with the folders that lack. */
export interface LogTarget {
  /** Absolute. Nobody else may write to it while the program runs. */
  readonly path: string;
  /** How many bytes of the output are kept, its first and its last half; a line between them says how many are not. */
  readonly keepBytes: number;
  /** Stands before the output, and counts for none of it. Where it cannot be written nothing is started. */
  readonly header?: string;
  /** Stands behind the output, on a line of its own, where the log lacks nothing of it. */
  readonly footer?: (ended: Pick<ExecResult, "end" | "durationMs">) => string | Promise<string>;
}

/**
 * How a program ended. A signal is never an exit code, and a program that never ran never exited. `lost`: it was
 * started, and then whoever would have told us was gone (a connection that was cut), so how it ended is not known (H35).
 */
export type ExecEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: string }
  | { readonly kind: "timedOut" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "notStarted"; readonly code?: string; readonly message: string };

export interface ExecResult {
  readonly end: ExecEnd;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** Why `logTo` lacks some of the output; the program ran to its end all the same. */
  readonly logFailure?: FileFailure;
  /** From a monotonic clock. */
  readonly durationMs: number;
}

export interface CapturedOutput {
  /** UTF-8 with replacement, decoded once over all that was kept; a line says so where something was left out. */
  readonly text: string;
  /** How many bytes the program wrote. */
  readonly bytes: number;
  /** Whether `text` lacks some of them. */
  readonly truncated: boolean;
}

/** Files of one machine. Paths are absolute. */
export interface Files {
  /** One answer a path, in order and in one round trip. Follows symbolic links. */
  stat(paths: readonly string[]): Promise<readonly FileStat[]>;
  /** At most `maxBytes`, from the beginning or (`tail`) from the end; a longer file is cut, not refused. */
  readFile(path: string, options: ReadOptions): Promise<Result<Uint8Array, FileFailure>>;
  /** Whole or not at all; makes the folders that lack. Mode defaults to 0600. */
  writeFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Makes a file that is not there yet, whole or not at all, and the folders that lack; else code EEXIST. Mode: 0600. */
  createFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Makes the file and the folders that lack. Mode defaults to 0600. */
  appendFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Names in a folder, unsorted. */
  list(path: string): Promise<Result<readonly string[], FileFailure>>;
  /** Replaces what is at `to`; makes the folders that lack. */
  rename(from: string, to: string): Promise<Result<void, FileFailure>>;
  /** A file or a folder with all that is in it; nothing there is no failure. */
  remove(path: string): Promise<Result<void, FileFailure>>;
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly tail?: boolean;
  /** Bytes to leave out at the beginning, where it is not the end that is read; behind the end there is nothing. */
  readonly offset?: number;
}

export interface WriteOptions {
  /** Permission bits for a file that is made. */
  readonly mode?: number;
}

export type FileStat =
  /** `dangling`: there is a symbolic link, and nothing where it points to. */
  | { readonly kind: "missing"; readonly dangling?: true }
  | { readonly kind: "failed"; readonly failure: FileFailure }
  | PresentStat;

export interface PresentStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** The last change of content, name or permissions, which a program cannot set back. */
  readonly ctimeMs: number;
  /** Device and inode: two paths with one identity are one file. */
  readonly identity: string;
  /** Whether this program's user may execute it. */
  readonly executable: boolean;
}

/** Why a file could not be used: in words, with the system's code where there is one. */
export interface FileFailure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}
