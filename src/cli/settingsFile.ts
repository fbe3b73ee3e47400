/**
 * Reads and edits a text file that others write as well: settings of Mux or another agent, the configuration of the
 * gauntlet, git's hooks, notes for agents. Writes it completely or not at all, by one process at a time. Leaves a
 * write-protected file as it is, and removes a file that a removal leaves without content.
 */
import { strictText } from "@/common/safeText";
import * as messages from "@/cli/messages/shared";
import { lstat, realpath, stat } from "node:fs/promises";
import { err, ok, type Result } from "neverthrow";
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { KIB, MAX_SETTINGS_BYTES } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";

/** The mode of files in a project, which are for the whole team. The user's umask decides what others may do. */
export const SHARED_MODE = 0o666;

/** Returns the text, or undefined if there is no such file. An error is a message with the reason. */
export async function readSettingsText(
  files: Files,
  path: string
): Promise<Result<string | undefined, string>> {
  const read = await files.readFile(path, { maxBytes: MAX_SETTINGS_BYTES + 1 });
  if (read.isErr()) {
    const { code, message } = read.error;
    return code === "ENOENT" ? ok(undefined) : err(messages.notReadable(path, message));
  }
  if (read.value.length > MAX_SETTINGS_BYTES) return err(tooLarge(path, "is"));
  const text = strictText(read.value);
  return text === undefined ? err(`${path} is not UTF-8; save it with that encoding`) : ok(text);
}

/** A change of one settings file. */
export interface SettingsEdit {
  /** Absolute. */
  readonly path: string;
  /** Returns the changed text, or why the change cannot be made. `file` is for messages. */
  readonly edit: (file: string, source: string) => Result<string, Diagnostic>;
  /** Whether a team shares the file in the repository, so that the edit adds nothing personal. */
  readonly isShared?: boolean;
  /** For an edit that only removes: whether the file has no content after it, so that it is removed as well. */
  readonly isRemovable?: (text: string) => boolean;
}

/**
 * Edits the file, or creates it. A file that cannot be parsed, or that its owner may not write, is not changed.
 *
 * @param projectDir a new file outside of it is only for the user, as are all files of a home
 */
export async function editSettings(
  files: Files,
  settings: SettingsEdit,
  projectDir: string
): Promise<Result<void, string>> {
  // Read first, because the error of a file that cannot be used would otherwise name its lock.
  const read = await readSettingsText(files, settings.path);
  if (read.isErr()) return err(read.error);
  // Loaded on first use: many commands only read settings.
  const { withFileLock } = await import("@/node/services/hooks/index");
  // Several links may lead to one file.
  const target = await realpath(settings.path).catch(() => settings.path);
  return await withFileLock(files, target, () => editLocked(files, settings, projectDir));
}

async function editLocked(
  files: Files,
  { path, edit, isRemovable }: SettingsEdit,
  projectDir: string
): Promise<Result<void, string>> {
  const read = await readSettingsText(files, path);
  if (read.isErr()) return err(read.error);
  const source = read.value;
  // There is nothing to remove.
  if (source === undefined && isRemovable !== undefined) return ok();
  const edited = edit(path, source ?? "");
  if (edited.isErr()) return err(formatDiagnostic(edited.error));
  const text = edited.value;
  if (text === source) return ok();
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES) return err(tooLarge(path, "would be"));
  if (source === undefined) {
    const mode = path.startsWith(`${projectDir}/`) ? SHARED_MODE : undefined;
    return (await files.createFile(path, text, { mode })).mapErr(describeFailure);
  }
  // Without write permission for the owner, even root leaves the file as it is.
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined && (stats.mode & 0o200) === 0)
    return err(
      `${path} is write-protected, so it was not changed; to allow the change, run "chmod u+w ${path}" and try again`
    );
  const isRemoved = isRemovable?.(text) === true && (await isOwnFile(path));
  if (isRemoved) return (await files.remove(path)).mapErr(describeFailure);
  // A file can be replaced without write permission for it, so this checks whether it is writable.
  const writable = await files.appendFile(path, "");
  const written = writable.isErr() ? writable : await files.writeFile(path, text);
  return written.mapErr(describeFailure);
}

/** Returns whether the path is a file. The target of a link belongs to other settings. */
export async function isOwnFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

function describeFailure({ path, code, message }: FileFailure): string {
  return messages.notWritable(
    path,
    code === "EEXIST"
      ? "the path exists but is not a regular file (it may be a broken link); fix or remove it"
      : message
  );
}

function tooLarge(path: string, is: string): string {
  return `${path} ${is} larger than ${MAX_SETTINGS_BYTES / KIB} KiB, the maximum size of a settings file`;
}
