/** Writes files without the hooks that are removed, and removes files and folders that become empty. */
import { lstat } from "node:fs/promises";
import { posix } from "node:path";
import { ok, type Result } from "neverthrow";
import type { HookRemoval, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { editSettings, readSettingsText } from "@/cli/gauntlet/init/hooks/settingsText";
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
  if (!(await isFileRemoved(place, removal))) return await editSettings(place.runtime, removal);
  const { path } = removal;
  const removed = await place.runtime.remove(path);
  if (removed.isErr())
    return removed.mapErr(({ message }) => notWritable(path, message)).map(() => undefined);
  await removeEmptyFolders(place, posix.dirname(path));
  return ok(undefined);
}

/** Removes the folder if it is empty, and then the one around it, up to the project or the home. */
async function removeEmptyFolders(place: InitPlace, folder: string): Promise<void> {
  const { runtime, projectDir, home } = place;
  const isInside = [projectDir, home].some((root) => folder.startsWith(`${root}/`));
  if (!isInside || folder === projectDir || folder === home) return;
  const names = await runtime.list(folder);
  if (names.isErr() || names.value.length > 0) return;
  const removed = await runtime.remove(folder);
  if (removed.isOk()) await removeEmptyFolders(place, posix.dirname(folder));
}
