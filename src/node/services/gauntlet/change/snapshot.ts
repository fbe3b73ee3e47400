/** The whole working tree as one tree object, without a trace in index, stash list or working tree (G9). */
import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { clip, plainText } from "@/common/text";
import type { Runtime } from "@/node/runtime/Runtime";
import {
  askGit,
  failed,
  refusal,
  runGit,
  type GitFailure,
} from "@/node/services/gauntlet/change/git";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";

export interface Snapshot {
  /**
   * A tree, tracked and untracked files alike: the same content is the same ID, whoever committed what in between,
   * so two equal IDs mean that nothing changed. Nothing holds it yet (`keepSnapshots`).
   */
  readonly id: string;
  /** What could not be read and counts as it last stood in the index. */
  readonly warnings: readonly string[];
}

/** Two git processes. Only content that git does not have yet is written, as loose objects. */
export async function takeSnapshot(
  runtime: Runtime,
  { projectDir, gitDir, signal }: GitContext,
  now: number = Date.now()
): Promise<Result<Snapshot, GitFailure>> {
  const index = posix.join(gitDir, `${TEMPORARY}${now}.${randomUUID()}`);
  const git = { cwd: projectDir, env: { GIT_INDEX_FILE: index }, signal };
  try {
    await removeForgotten(runtime, gitDir, now);
    const copied = await copyIndex(runtime, posix.join(gitDir, "index"), index, signal);
    if (copied.isErr()) return err(copied.error);
    const added = await askGit(runtime, { ...git, args: ADD });
    if (added.isErr()) return err(added.error);
    const { code, stderr } = added.value;
    // 1: some file could not be read, and the others are in. Where git cannot write, nothing would seem to change.
    if (code > 1 || stderr.includes(NOT_WRITTEN)) return err(refusal(ADD, added.value));
    const written = await runGit(runtime, { ...git, args: ["write-tree", "--missing-ok"] });
    const warnings = code === 0 ? [] : [leftOut(stderr)];
    return written.map((id) => ({ id: id.trimEnd(), warnings }));
  } finally {
    await Promise.all([index, `${index}.lock`].map((path) => runtime.remove(path)));
  }
}

const ADD = ["add", "--all", "--sparse", "--ignore-errors"];
const NOT_WRITTEN = "failed to insert into database";
const TEMPORARY = "agent-gauntlet-index.";
const FORGOTTEN_AFTER_MS = 60 * 60 * 1000;
const MOST_NAMED = 500;

/**
 * A copy of the person's index spares reading every file again. It keeps the original's time, by which git knows
 * which entries are too young to be trusted without a look at the file.
 */
async function copyIndex(
  runtime: Runtime,
  from: string,
  to: string,
  signal: AbortSignal | undefined
): Promise<Result<void, GitFailure>> {
  const [stat] = await runtime.stat([from]);
  if (stat?.kind === "missing") return ok(undefined);
  const { end, stderr } = await runtime.exec({
    command: { file: "cp", args: ["-p", from, to] },
    cwd: posix.dirname(to),
    ...(signal === undefined ? {} : { signal }),
  });
  if (end.kind === "exited" && end.code === 0) return ok(undefined);
  if (end.kind === "cancelled") return err({ reason: "cancelled", message: "cp was interrupted" });
  const words = end.kind === "notStarted" ? end.message : plainText(stderr.text).trim();
  return err(failed(`the index ${from} could not be copied: ${words}`));
}

/** Those of a run that was killed. Their names say when they were made. */
async function removeForgotten(runtime: Runtime, gitDir: string, now: number): Promise<void> {
  const names = (await runtime.list(gitDir)).unwrapOr([]);
  const forgotten = names.filter(
    (name) =>
      name.startsWith(TEMPORARY) &&
      now - Number.parseInt(name.slice(TEMPORARY.length), 10) > FORGOTTEN_AFTER_MS
  );
  await Promise.all(forgotten.map((name) => runtime.remove(posix.join(gitDir, name))));
}

function leftOut(stderr: string): string {
  return `not everything in the working tree could be read, and changes there are not seen: ${clip(stderr.trim(), MOST_NAMED)}`;
}
