/** Restores the files that the last fix changed (G35). */
import { posix } from "node:path";
import { err, ok, safeTry, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { treeFiles } from "@/node/services/gauntlet/change/snapshot/listTree";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { TemporaryIndex } from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";
import * as messages from "@/node/services/gauntlet/messages/fixes";
import { readLastFix, removeLastFix } from "@/node/services/gauntlet/run/fixes/lastFix";
import type { RunFailure } from "@/node/services/gauntlet/run/runContext";

export interface UndoneFix {
  /** Relative to the project. */
  readonly restored: readonly string[];
  /** Files that were changed again after the fix. They are left as they are. */
  readonly changedSince: readonly string[];
}

/**
 * Restores each file whose content is still what the fix left. The caller holds the lock. Returns undefined if there is
 * no fix to undo. Does not change git's index.
 */
export async function undoFix(
  runtime: HookRuntime,
  context: GitContext
): Promise<Result<UndoneFix | undefined, RunFailure>> {
  const place = { runtime, context };
  const last = await readLastFix(place);
  if (last === undefined) return ok(undefined);
  const { before, after, files } = last;
  if (after === undefined) return err({ message: messages.undoIncomplete(before) });
  return await safeTry<UndoneFix | undefined, RunFailure>(async function* () {
    const { id: now } = yield* await takeSnapshot(runtime, context);
    const earlier = yield* await contentOf(runtime, context, before);
    const left = yield* await contentOf(runtime, context, after);
    const current = yield* await contentOf(runtime, context, now);
    // The record is a file that anyone may have written, so it names no file that the trees do not have.
    const known = files.filter((file) => earlier.has(file) || left.has(file));
    const restored = known.filter((file) => current.get(file) === left.get(file));
    const returning = restored.filter((file) => earlier.has(file));
    yield* await checkOut(runtime, context, before, returning);
    // The fix created these.
    for (const file of restored.filter((name) => !earlier.has(name))) {
      const removed = await runtime.remove(posix.join(context.projectDir, file));
      if (removed.isErr()) return err({ message: messages.undoFailed(removed.error.message) });
    }
    yield* await removeLastFix(place);
    return ok({ restored, changedSince: known.filter((file) => !restored.includes(file)) });
  });
}

/** Returns the mode and content of each file of a tree. */
async function contentOf(
  runtime: HookRuntime,
  context: GitContext,
  tree: string
): Promise<Result<ReadonlyMap<string, string>, RunFailure>> {
  const files = await treeFiles(runtime, context, tree);
  return files.map((found) => new Map(found.map(({ path, id }) => [path, id])));
}

/** Writes files of a tree to the working tree. An index of its own keeps the user's index as it is. */
async function checkOut(
  runtime: HookRuntime,
  context: GitContext,
  tree: string,
  files: readonly string[]
): Promise<Result<void, RunFailure>> {
  if (files.length === 0) return ok(undefined);
  const index = await TemporaryIndex.open(runtime, context, Date.now());
  const git = { cwd: context.projectDir, env: { GIT_INDEX_FILE: index.path } };
  try {
    const read = await runGit(runtime, { ...git, args: ["read-tree", tree] });
    if (read.isErr()) return err({ message: messages.undoFailed(read.error.message) });
    const stdin = files.map((file) => `${file}\0`).join("");
    const args = ["checkout-index", "--force", "-z", "--stdin"];
    const written = await runGit(runtime, { ...git, args, stdin });
    return written
      .map(() => undefined)
      .mapErr(({ message }) => ({ message: messages.undoFailed(message) }));
  } finally {
    await Promise.all([index.path, `${index.path}.lock`].map((path) => runtime.remove(path)));
  }
}
