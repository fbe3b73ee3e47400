/**
 * Records the runs of hooks: a short line for each in the user's `hook-log.jsonl` (H47), and all fields in the
 * session's `hook-runs.jsonl` (H24).
 */
import { dirname, isAbsolute, join, posix } from "node:path";
import { ok, type Result } from "neverthrow";
import * as limits from "@/common/limits";
import { clip } from "@/common/safeText";
import type { ExecEnd, FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { HookRun } from "@/node/services/hooks/contract/types";

/** The user's folder, and the names of a workspace in its files. */
export interface PersonFiles {
  /** The user root on the host's machine, absolute (H1). */
  readonly root: string;
  /** The path of the workspace's checkout, or its URL if it is on another machine. */
  readonly workspace: string;
  /** The project that the workspace belongs to: the main checkout of a linked worktree. */
  readonly project: string;
}

/** One line of the log. */
export interface HookLogEntry extends Omit<PersonFiles, "root"> {
  /** When the hook was started, as ISO 8601. */
  readonly time: string;
  readonly session: string;
  readonly event: string;
  readonly hook: string;
  readonly title: string;
  readonly outcome: string;
  readonly ms: number;
  /** The exit code, or how else the program ended. Absent for a handler in the host's own process. */
  readonly exit?: number | string;
  readonly reason?: string;
}

/** Returns the paths of the log, the older one first. */
export function hookLogPaths(root: string): readonly [rotated: string, current: string] {
  return [posix.join(root, "hook-log.1.jsonl"), posix.join(root, "hook-log.jsonl")];
}

/** Appends runs to the log. Never rejects: a lost line changes no stop. Does not create the user root. */
export async function logRuns(
  files: Files,
  { root, workspace, project }: PersonFiles,
  session: string,
  runs: readonly HookRun[]
): Promise<void> {
  if (runs.length === 0) return;
  const entries = runs.map((run): HookLogEntry => {
    const { startedAt: time, event, name: hook, title, outcome, durationMs, end } = run;
    const reason = run.reason ?? run.context ?? run.stopReason ?? run.warnings[0];
    return {
      ...{ time, event, hook, title, outcome },
      ms: Math.round(durationMs),
      exit: end && describeExit(end),
      reason: reason && clip(reason, limits.MAX_LOGGED_REASON_CHARS),
      ...{ workspace, project, session },
    };
  });
  await appendRotated(files, hookLogPaths(root), limits.MAX_LOG_FILE_BYTES, entries);
}

/** Appends values as lines of JSON, and begins a new file at the limit. Does not create a missing folder. */
async function appendRotated(
  files: Files,
  [rotated, path]: readonly [rotated: string, path: string],
  maxBytes: number,
  values: readonly object[]
): Promise<Result<void, FileFailure>> {
  const [folder, current] = await files.stat([dirname(path), path]);
  if (folder?.kind !== "directory") return ok(undefined);
  const lines = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  if (current?.kind === "file" && current.size + lines.length > maxBytes) {
    await files.rename(path, rotated);
  }
  return await files.appendFile(path, lines);
}

function describeExit(end: ExecEnd): number | string {
  if (end.kind === "exited") return end.code;
  return end.kind === "signaled" ? end.signal : end.kind;
}

/**
 * Appends the runs of one stop to `hook-runs.jsonl` beside the transcript: one line per run, at most 10 MiB, one
 * rotation. Without a folder of the session there is no record. Resolves to an error message on failure.
 */
export async function recordRuns(
  files: Files,
  transcriptPath: string,
  runs: readonly HookRun[]
): Promise<string | undefined> {
  if (runs.length === 0 || !isAbsolute(transcriptPath)) return undefined;
  const folder = dirname(transcriptPath);
  const paths = [join(folder, "hook-runs.1.jsonl"), join(folder, "hook-runs.jsonl")] as const;
  const appended = await appendRotated(files, paths, limits.MAX_RECORD_FILE_BYTES, runs);
  return appended.isErr() ? runsNotRecorded(appended.error.message) : undefined;
}

export function runsNotRecorded(problem: string): string {
  return `the runs of the hooks could not be recorded, which does not change their decision: ${problem}`;
}
