/**
 * The interfaces through which the hook engine and the gauntlet run programs and use files. Callers do not know whether
 * a workspace is on this machine, behind SSH or in a container.
 */
import type { Result } from "neverthrow";

export type HookRuntime = LocalHookRuntime | RemoteHookRuntime;

/** The programs and files of one workspace. */
interface CommonRuntime extends Files {
  /** The name of the machine in messages: `local`, `ssh://host`. */
  readonly label: string;
  /** The machine that this program runs on, with the user's settings and the session folder. */
  readonly host: Files;
  /** Prepares for a program that starts soon, as soon as the caller waits for something else. */
  expectPrograms?(): void;
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
 * A program with its arguments, or a command line for a shell: `bash -c` if the workspace's machine has bash, else
 * `sh -c`; never a login shell. `shell` names another shell, and `args` are the command line's `"$@"`.
 */
export type Command =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly script: string; readonly shell?: string; readonly args?: readonly string[] };

export interface ExecRequest {
  readonly command: Command;
  /** Absolute. */
  readonly cwd: string;
  /** Added to the environment of the workspace's machine. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names removed from that environment first; `NAME_*` matches every name with that prefix. */
  readonly unsetEnv?: readonly string[];
  /** Names kept even if `unsetEnv` matches them; `NAME_*` as in `unsetEnv`. */
  readonly passEnv?: readonly string[];
  /** Written to standard input, which is then closed. A program that does not read it is not an error. */
  readonly stdin?: string;
  /** Milliseconds after which the whole process tree is ended (H21). Absent: no limit. */
  readonly timeoutMs?: number;
  /** Ends the whole process tree when aborted (H22). */
  readonly signal?: AbortSignal;
  /**
   * The program ends by itself within moments, such as git. If this process is killed in its first second, the program
   * runs to its end, which saves the start of a watcher (H23a).
   */
  readonly isBrief?: boolean;
  /**
   * Called with the first output of the program as it arrives, at most {@link MAX_LIVE_CHARS} of each stream. Not called
   * by a runtime of another machine, or with `logTo`.
   */
  readonly onOutput?: (text: string, isError: boolean) => void;
  /** How many bytes of each stream are kept, its first and its last half; the rest is counted (H20). */
  readonly keepBytes?: number;
  /** The file that both streams are written to as they arrive. The result then only has their byte counts. */
  readonly logTo?: LogTarget;
}

/** A file that a program's output is appended to. Created with mode 0600, along with missing folders. */
export interface LogTarget {
  /** Absolute. No other process may write to it while the program runs. */
  readonly path: string;
  /**
   * How many bytes of the output are kept, its first and its last half. A line between them gives the number left out.
   */
  readonly keepBytes: number;
  /** Written before the output, and not counted in `keepBytes`. The program is not started if this write fails. */
  readonly header?: string;
  /** Returns the text after the output, on a line of its own. Not called if writing the output failed. */
  readonly footer?: (ended: Pick<ExecResult, "end" | "durationMs">) => string | Promise<string>;
}

/**
 * How a program ended. A signal is never an exit code, except for SIGINT and SIGPIPE on another machine, whose shell
 * reports them as 130 and 141. A program that was not started has no exit code. `lost`: the program was started, but
 * the connection or process that reports its end was lost, so its end is unknown (H35).
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
  /** Why `logTo` is missing some of the output. The program ran to its end nevertheless. */
  readonly logFailure?: FileFailure;
  /** Measured with a monotonic clock. */
  readonly durationMs: number;
}

export interface CapturedOutput {
  /** The kept bytes as UTF-8, with replacement characters for invalid bytes. A line marks omitted output. */
  readonly text: string;
  /** How many bytes the program wrote. */
  readonly bytes: number;
  /** Whether `text` is missing some of them. */
  readonly truncated: boolean;
}

/** Files of one machine. Paths are absolute. */
export interface Files {
  /** Returns one entry per path, in order and in one round trip. Follows symbolic links. */
  stat(paths: readonly string[]): Promise<readonly FileStat[]>;
  /** Reads at most `maxBytes`, from the start or (`tail`) from the end. A longer file is cut, not refused. */
  readFile(path: string, options: ReadOptions): Promise<Result<Uint8Array, FileFailure>>;
  /** Writes the whole file or nothing, and creates missing folders. Mode defaults to 0600. */
  writeFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Like `writeFile`, but fails with EEXIST if the path exists. */
  createFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Appends to a file. Creates it and missing folders. Mode defaults to 0600. */
  appendFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>>;
  /** Returns the names in a folder, unsorted. */
  list(path: string): Promise<Result<readonly string[], FileFailure>>;
  /** Renames a file or a folder, replacing what is at `to`. Creates missing folders. */
  rename(from: string, to: string): Promise<Result<void, FileFailure>>;
  /** Removes a file, or a folder with its contents. A missing path is not an error. */
  remove(path: string): Promise<Result<void, FileFailure>>;
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly tail?: boolean;
  /** How many bytes to skip at the start, unless `tail` is set. The result is empty past the end of the file. */
  readonly offset?: number;
}

export interface WriteOptions {
  /** Permission bits of a file that is created. */
  readonly mode?: number;
  /** Whether the file may be lost in a crash of the machine. It is then not written with `fsync`. */
  readonly isDisposable?: boolean;
}

export type FileStat =
  /** `dangling`: a symbolic link whose target does not exist. */
  | { readonly kind: "missing"; readonly dangling?: true }
  | { readonly kind: "failed"; readonly failure: FileFailure }
  | PresentStat;

export interface PresentStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** The time of the last change of content, name or permissions, which a program cannot set back. */
  readonly ctimeMs: number;
  /** Device and inode: two paths with the same identity are the same file. */
  readonly identity: string;
  /** Whether this program's user may execute it. */
  readonly executable: boolean;
}

/** Why a file operation failed: the system's error code if there is one, and a message. */
export interface FileFailure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}
