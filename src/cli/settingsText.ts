/** Settings files of a user, read whole and written whole or not at all. */
import { err, ok, type Result } from "neverthrow";
import { SHARED_MODE } from "@/cli/fileMode";
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { KIB, MAX_SETTINGS_BYTES } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import * as messages from "@/cli/messages/files";

/** Returns undefined if there is no such file. An error is a message that explains why it cannot be used. */
export async function readSettingsText(
  files: Files,
  path: string
): Promise<Result<string | undefined, string>> {
  const read = await files.readFile(path, { maxBytes: MAX_SETTINGS_BYTES + 1 });
  if (read.isErr()) {
    const { code, message } = read.error;
    return code === "ENOENT" ? ok(undefined) : err(messages.notReadable(path, message));
  }
  if (read.value.length > MAX_SETTINGS_BYTES) return err(tooLarge(path));
  try {
    // A lenient decoder would change bytes that are not text.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return ok(decoder.decode(read.value));
  } catch {
    return err(messages.notUtf8(path));
  }
}

/** Returns the changed text, or why the change cannot be made. `file` is for messages. */
export type SettingsEditor = (file: string, source: string) => Result<string, Diagnostic>;

export interface SettingsEdit {
  /** Absolute. */
  readonly path: string;
  readonly edit: SettingsEditor;
  /** Whether a team shares the file in the repository, so that the edit adds nothing personal. */
  readonly isShared?: boolean;
}

/**
 * Edits the file, or creates it. A file that cannot be parsed is not changed.
 *
 * @param projectDir a new file outside of it is only for the user, as are all files of a home
 */
export async function editSettings(
  files: Files,
  { path, edit }: SettingsEdit,
  projectDir: string
): Promise<Result<void, string>> {
  const read = await readSettingsText(files, path);
  if (read.isErr()) return err(read.error);
  const source = read.value;
  const edited = edit(path, source ?? "");
  if (edited.isErr()) return err(formatDiagnostic(edited.error));
  if (Buffer.byteLength(edited.value) > MAX_SETTINGS_BYTES) return err(tooLarge(path));
  const written =
    source === undefined
      ? await files.createFile(path, edited.value, isIn(projectDir, path) ? SHARED : {})
      : await replace(files, path, edited.value);
  return written.mapErr(describeFailure);
}

const SHARED = { mode: SHARED_MODE };

function isIn(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

async function replace(
  files: Files,
  path: string,
  text: string
): Promise<Result<void, FileFailure>> {
  // A file can be replaced without write permission for it, so this checks whether it is writable.
  const writable = await files.appendFile(path, "");
  return writable.isErr() ? writable : await files.writeFile(path, text);
}

function describeFailure({ path, code, message }: FileFailure): string {
  return messages.notWritable(path, code === "EEXIST" ? messages.NOT_REGULAR_FILE : message);
}

function tooLarge(path: string): string {
  return messages.settingsTooLarge(path, MAX_SETTINGS_BYTES / KIB);
}
