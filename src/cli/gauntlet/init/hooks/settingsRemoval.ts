/** Writes files without the hooks that are removed, and removes files and folders that become empty. */
import { lstat, rmdir } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { HookRemoval, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { editSettings, readSettingsText } from "@/cli/settingsText";
import { notWritable } from "@/cli/messages/files";

/** Returns whether the change leaves no content in the file, so that it is removed. */
export async function isFileRemoved(place: InitPlace, removal: HookRemoval): Promise<boolean> {
  const { path, edit, isRemovable } = removal;
  const text = (await readSettingsText(place.runtime, path)).unwrapOr(undefined);
  const edited = text === undefined ? undefined : edit(path, text).unwrapOr(undefined);
  if (edited === undefined || !isRemovable(edited)) return false;
  // The target of a link belongs to other settings.
  return await lstat(path).then(
    (stats) => stats.isFile(),
    () => false
  );
}

/** Removes hooks from one file. An error is a message that explains why the file is unchanged. */
export async function removeFromFile(
  place: InitPlace,
  removal: HookRemoval
): Promise<Result<void, string>> {
  if (!(await isFileRemoved(place, removal)))
    return await editSettings(place.runtime, removal, place.projectDir);
  const { path } = removal;
  const removed = await place.runtime.remove(path);
  if (removed.isErr()) return err(notWritable(path, removed.error.message));
  await removeEmptyFolders(place, posix.dirname(path));
  return ok(undefined);
}

/** Removes the folder if it is empty, and then the one around it, up to the project or the home. */
async function removeEmptyFolders(place: InitPlace, folder: string): Promise<void> {
  const roots = [place.projectDir, place.home];
  if (roots.includes(folder) || !roots.some((root) => folder.startsWith(`${root}/`))) return;
  try {
    // Fails if the folder has entries or is a link.
    await rmdir(folder);
  } catch {
    return;
  }
  await removeEmptyFolders(place, posix.dirname(folder));
}
