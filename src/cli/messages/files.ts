/** Messages about files and folders, for both programs. */

export function notFolder(path: string): string {
  return `${path} is not a folder`;
}

export function folderMissing(path: string): string {
  return `the folder ${path} does not exist`;
}

export function notOpened(path: string, why: string): string {
  return `${path} cannot be opened: ${why}`;
}

export function notReadable(path: string, why: string): string {
  return `${path} cannot be read: ${why}`;
}

export function notWritable(path: string, why: string): string {
  return `${path} cannot be written: ${why}`;
}

export function writeProtected(path: string): string {
  return `${path} is write-protected, so it was not changed; to allow the change, run "chmod u+w ${path}" and try again`;
}

export function notUtf8(path: string): string {
  return `${path} is not UTF-8; save it with that encoding`;
}

/** @param limit in KiB */
export function settingsTooLarge(path: string, limit: number): string {
  return `${path} would be larger than ${limit} KiB, the maximum size of a settings file`;
}

/** Follows the path of a file that can be neither read nor created. */
export const NOT_REGULAR_FILE =
  "the path exists but is not a regular file (it may be a broken link); fix or remove it";

// Transcripts of `mux-stop-hooks hooks test`

export function transcriptMissing(path: string): string {
  return `the transcript ${path} does not exist`;
}

export function transcriptNotFile(path: string): string {
  return `the transcript ${path} is not a regular file`;
}

// The process

export function outputLost(why: string): string {
  return `the output could not be written: ${why}`;
}

export function currentFolderUnusable(why: string): string {
  return `the current folder cannot be used: ${why}; change to an existing folder`;
}
