/** Writes `hook-log.jsonl` in the user root: one short line per run of a hook, over all sessions of the user (H47). */
import { posix } from "node:path";
import { MAX_LOG_FILE_BYTES, MAX_LOGGED_REASON_CHARS } from "@/common/limits";
import { definedOnly } from "@/common/definedOnly";
import { clip } from "@/common/text";
import type { ExecEnd, Files } from "@/node/runtime/HookRuntime";
import type { HookRun } from "@/node/services/hooks/contract/types";

const LOG_FILE = "hook-log.jsonl";
const ROTATED_FILE = "hook-log.1.jsonl";

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
  return [posix.join(root, ROTATED_FILE), posix.join(root, LOG_FILE)];
}

/** Appends runs to the log. Never rejects: a lost line changes no stop. Does not create the user root. */
export async function logRuns(
  files: Files,
  { root, workspace, project }: PersonFiles,
  session: string,
  runs: readonly HookRun[]
): Promise<void> {
  if (runs.length === 0) return;
  const [rotated, path] = hookLogPaths(root);
  const [folder, current] = await files.stat([root, path]);
  if (folder?.kind !== "directory") return;
  const lines = runs
    .map((run) => `${JSON.stringify({ ...toEntry(run), workspace, project, session })}\n`)
    .join("");
  if (current?.kind === "file" && current.size + lines.length > MAX_LOG_FILE_BYTES) {
    await files.rename(path, rotated);
  }
  await files.appendFile(path, lines);
}

function toEntry(run: HookRun): Omit<HookLogEntry, "session" | "workspace" | "project"> {
  const reason = run.reason ?? run.context ?? run.stopReason ?? run.warnings[0];
  return definedOnly({
    time: run.startedAt,
    event: run.event,
    hook: run.name,
    title: run.title,
    outcome: run.outcome,
    ms: Math.round(run.durationMs),
    exit: run.end === undefined ? undefined : describeExit(run.end),
    reason: reason === undefined ? undefined : clip(reason, MAX_LOGGED_REASON_CHARS),
  }) as Omit<HookLogEntry, "session" | "workspace" | "project">;
}

function describeExit(end: ExecEnd): number | string {
  if (end.kind === "exited") return end.code;
  return end.kind === "signaled" ? end.signal : end.kind;
}
