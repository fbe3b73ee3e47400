/** Restores the files that the fixes of the user's turn changed (G35). */
import { ok, type Result } from "neverthrow";
import {
  fixHistory,
  restore,
  restoredFiles,
  restoredKey,
  type FixPlace,
} from "@/node/services/gauntlet/run/fixes/fixHistory";
import type { RunFailure } from "@/node/services/gauntlet/run/runContext";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

export interface UndoneFix {
  /** Relative to the project. */
  readonly restored: readonly string[];
  /** Files that were changed again after the fix. They are left as they are. */
  readonly changedSince: readonly string[];
  /** Absolute: the folders with what a fix that was killed had left. */
  readonly replaced: readonly string[];
}

/**
 * Restores each file whose content is still what the fixes left, the newest fix first. The caller holds the lock.
 * Returns undefined if there is no fix to undo. Later fixes of the session leave the restored files alone.
 */
export async function undoFix(place: FixPlace): Promise<Result<UndoneFix | undefined, RunFailure>> {
  const { runtime, gitDir } = place;
  const entries = await fixHistory(place);
  const [newest] = entries;
  if (newest === undefined) return ok(undefined);
  const restored = new Set<string>();
  const changedSince = new Set<string>();
  const replaced: string[] = [];
  for (const entry of entries) {
    const files = entry.files.filter((file) => !changedSince.has(file));
    const done = await restore(place, entry, files);
    if (done.isErr()) return done.map(() => undefined);
    for (const [i, file] of files.entries()) {
      if (done.value[i] === "restored") restored.add(file);
      if (done.value[i] === "changed" && !restored.has(file)) changedSince.add(file);
    }
    if (!entry.isWhole && done.value.includes("restored"))
      replaced.push(`${entry.folder}-replaced`);
  }
  const known = await restoredFiles(place, newest.session);
  const files = [...new Set([...known, ...restored])];
  const key = restoredKey(newest.session);
  const written = await new TurnStore(runtime, gitDir).write("fixes", key, { files });
  for (const { folder } of entries) {
    const isKept = replaced.includes(`${folder}-replaced`);
    await (isKept ? runtime.rename(folder, `${folder}-replaced`) : runtime.remove(folder));
  }
  return written.map(() => ({
    restored: [...restored].sort(),
    changedSince: [...changedSince].sort(),
    replaced: replaced.map((folder) => `${folder}/after`),
  }));
}
