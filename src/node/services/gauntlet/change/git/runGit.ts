/**
 * Runs git without a terminal, and without user settings and variables that change its output or its repository, or
 * start programs (G8, G9, G20c). Describes the failures of git with their reasons.
 */
import { err, ok, type Result } from "neverthrow";
import { KIB } from "@/common/limits";
import { clip, plainText } from "@/common/safeText";
import type { ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";

/**
 * A failed call of git. `no-git`: git is not on PATH. `no-repository`: the folder is not in a repository. A run that
 * ends because of such a failure has the status `infrastructure_error`.
 */
export interface GitFailure {
  readonly reason: "no-git" | "no-repository" | "cancelled" | "failed";
  /** The problem and its fix, in words. */
  readonly message: string;
}

export interface GitCall {
  /** Absolute. */
  readonly cwd: string;
  /** Subcommand first. Arguments from outside follow `--end-of-options`. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly keepBytes?: number;
  /** Output beyond `keepBytes` is not a failure: its beginning and end are sufficient. */
  readonly mayBeCut?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The output of a git process that exited, with any exit code. */
export interface GitOutput {
  readonly code: number;
  readonly stdout: string;
  /** Whether its middle was left out. */
  readonly isCut: boolean;
  /** Without characters that a terminal would interpret. */
  readonly stderr: string;
}

/** Overrides of user settings that could start a program, write to an unexpected place, or reject a file. */
const CONFIG = [
  "core.hooksPath=/dev/null",
  // A folder of a clone can have the files of a bare repository, with a configuration that names programs.
  "safe.bareRepository=explicit",
  "core.fsmonitor=false",
  "core.splitIndex=false",
  "core.safecrlf=false",
  // git would assume that every added file stays unchanged.
  "core.ignoreStat=false",
  "core.quotePath=false",
  // An empty line of a diff would not begin with a space.
  "diff.suppressBlankEmpty=false",
  // Include files that are skipped (`--skip-worktree`) but exist.
  "core.sparseCheckout=true",
  "sparse.expectFilesOutsideOfPatterns=false",
  "core.logAllRefUpdates=false",
  "log.showSignature=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.addEmbeddedRepo=false",
].flatMap((setting) => ["-c", setting]);

const ENV = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  GIT_PAGER: "cat",
  GIT_NO_LAZY_FETCH: "1",
  // A replacement object would hide the real content of a commit.
  GIT_NO_REPLACE_OBJECTS: "1",
  // English in every locale, because the code distinguishes some of git's messages.
  LANGUAGE: "en",
};

/**
 * Variables that name another repository, index, object store or configuration, or change how paths are read (G20c).
 * Only the folder determines the repository.
 */
const UNSET_ENV = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_GRAFT_FILE",
  "GIT_SHALLOW_FILE",
  "GIT_REFERENCE_BACKEND",
  "GIT_ATTR_SOURCE",
  "GIT_CONFIG*",
  "GIT_EXTERNAL_DIFF",
  "GIT_DIFF_OPTS",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
  "GIT_TRACE*",
  // Shells that git starts, such as those of filters, read these.
  "BASH_ENV",
  "ENV",
];

/** Runs git to its end and accepts any exit code. Fails if the output is too long to be kept, unless `mayBeCut`. */
export async function execGit(
  runtime: HookRuntime,
  { cwd, args, env, stdin, keepBytes, mayBeCut = false, signal }: GitCall
): Promise<Result<GitOutput, GitFailure>> {
  const result = await runtime.exec({
    command: { file: "git", args: ["--no-pager", ...CONFIG, ...args] },
    cwd,
    env: { ...ENV, ...safeDirectories(runtime), ...env },
    unsetEnv: UNSET_ENV,
    stdin,
    keepBytes,
    signal,
    isBrief: true,
  });
  return outputOf(runtime, nameOf(args), result, mayBeCut);
}

/** Returns the `safe.directory` entries of `GIT_CONFIG_*`, the only ones of that configuration that apply (G20c). */
function safeDirectories(runtime: HookRuntime): Record<string, string> {
  // This process's variables apply to this machine only.
  if (runtime.isRemote) return {};
  const { env } = process;
  const count = Math.min(Number(env.GIT_CONFIG_COUNT ?? 0), MAX_CONFIG_ENTRIES) || 0;
  const kept: Record<string, string> = {};
  let size = 0;
  for (let i = 0; i < count; i++) {
    const value = env[`GIT_CONFIG_VALUE_${i}`];
    const key = env[`GIT_CONFIG_KEY_${i}`];
    if (key?.toLowerCase() !== "safe.directory" || value === undefined) continue;
    kept[`GIT_CONFIG_KEY_${size}`] = "safe.directory";
    kept[`GIT_CONFIG_VALUE_${size++}`] = value;
  }
  return size === 0 ? {} : { GIT_CONFIG_COUNT: String(size), ...kept };
}

const MAX_CONFIG_ENTRIES = 1_000;

/** Runs git like {@link execGit}, but fails on an exit code other than 0. Returns git's output. */
export async function runGit(
  runtime: HookRuntime,
  call: GitCall
): Promise<Result<string, GitFailure>> {
  const output = await execGit(runtime, call);
  return output.andThen((answer) =>
    answer.code === 0 ? ok(answer.stdout) : err(refusal(call.args, answer))
  );
}

/** Returns a failure with git's own message. */
export function refusal(args: readonly string[], { code, stderr }: GitOutput): GitFailure {
  const words = clip(stderr.trim(), MAX_WORDS_CHARS);
  return failed(
    `${nameOf(args)} failed with exit code ${code}: ${words === "" ? "it printed no message" : words}`
  );
}

export function failed(message: string): GitFailure {
  return { reason: "failed", message };
}

const MAX_WORDS_CHARS = 2 * KIB;

function outputOf(
  { label }: HookRuntime,
  name: string,
  { end, stdout, stderr }: ExecResult,
  mayBeCut: boolean
): Result<GitOutput, GitFailure> {
  switch (end.kind) {
    case "exited":
      if (stdout.truncated && !mayBeCut) {
        return err(failed(`${name} printed ${stdout.bytes} bytes, which is more than can be read`));
      }
      return ok({
        code: end.code,
        stdout: stdout.text,
        isCut: stdout.truncated,
        stderr: plainText(stderr.text),
      });
    case "notStarted":
      return err({
        reason: end.code === "ENOENT" ? "no-git" : "failed",
        message: `${name} could not be started (${label}): ${end.message}`,
      });
    case "lost":
      return err(
        failed(`lost the connection while ${name} was running (${label}): ${end.message}`)
      );
    case "cancelled":
      return err({ reason: "cancelled", message: `${name} was interrupted` });
    case "timedOut":
      return err(failed(`${name} did not end within its time limit`));
    case "signaled":
      return err(failed(`${name} was killed by ${end.signal}`));
  }
}

function nameOf([subcommand = ""]: readonly string[]): string {
  return `git ${subcommand}`;
}
