/** Writes files without the hooks that are removed, and removes files and folders that become empty. */
import { rmdir } from "node:fs/promises";
import { posix } from "node:path";
import { ok, type Result } from "neverthrow";
import type { HookRemoval, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { editSettings, isOwnFile, readSettingsText } from "@/cli/settingsText";

/** Returns whether the change leaves no content in the file, so that it is removed. */
export async function isFileRemoved(place: InitPlace, removal: HookRemoval): Promise<boolean> {
  const { path, edit, isRemovable } = removal;
  const text = (await readSettingsText(place.runtime, path)).unwrapOr(undefined);
  const edited = text === undefined ? undefined : edit(path, text).unwrapOr(undefined);
  if (edited === undefined || !isRemovable(edited)) return false;
  return await isOwnFile(path);
}

/** Removes hooks from one file. An error is a message that explains why the file is unchanged. */
export async function removeFromFile(
  place: InitPlace,
  removal: HookRemoval
): Promise<Result<void, string>> {
  const { path } = removal;
  const edited = await editSettings(place.runtime, removal, place.projectDir);
  if (edited.isErr()) return edited;
  const [stat] = await place.runtime.stat([path]);
  if (stat?.kind === "missing") await removeEmptyFolders(place, posix.dirname(path));
  return ok();
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
