/**
 * Messages that local and remote runtimes share: why a program could not be started or a path is not read, and the line
 * that replaces omitted output. Also converts an error of the system to a `FileFailure`.
 */
import { describeError, errorCode } from "@/common/errors";
import type { FileFailure } from "@/node/runtime/HookRuntime";

const quoted = (file: string): string => `“${file}”`;

/** Why a program could not be started, on this machine and on another one. */
export const notStarted = {
  /** @param detail the system's error code, or its message */
  other: (file: string, detail: string) => `${quoted(file)} could not be started: ${detail}`,
  nulByte:
    "the command, its working directory or its environment contains a NUL byte, which the system does not accept; remove it",
  folderMissing: (cwd: string) => `the working directory ${cwd} does not exist`,
  notFolder: (cwd: string) => `the working directory ${cwd} is not a folder`,
  /** @param detail the system's error code, or its message if it has none */
  notEntered: (cwd: string, detail: string) =>
    `the working directory ${cwd} cannot be entered (${detail})`,
  programMissing: (file: string) =>
    file.includes("/")
      ? `${quoted(file)} does not exist`
      : `${quoted(file)} is not on the PATH; install it or give its path`,
  isFolder: (file: string) => `${quoted(file)} is a folder, not a program`,
  notExecutable: (file: string) =>
    `${quoted(file)} is not executable; make it executable with "chmod +x", or start it with its interpreter`,
  interpreterMissing: (path: string, firstLine: string) =>
    `the interpreter of ${quoted(path)} does not exist; its first line is ${JSON.stringify(firstLine)}`,
  tooLong: (file: string) =>
    `the arguments and the environment of ${quoted(file)} are longer than the system allows (E2BIG); pass the data in a file or on standard input`,
};

/** Replaces the name of a signal that the system did not report. */
export const UNKNOWN_SIGNAL = "an unknown signal";

/** Replaces omitted output, as a line of its own. logWriter.sh writes the same line on another machine. */
export function leftOut(bytes: number): string {
  return `[… ${bytes} byte${bytes === 1 ? "" : "s"} left out …]\n`;
}

/** Returns the failure for an error that the system threw. */
export function fileFailure(path: string, thrown: unknown): FileFailure {
  return { path, code: errorCode(thrown) ?? "UNKNOWN", message: describeError(thrown) };
}

/** Why a path is not read, by the error code: it is not a regular file. */
export const notAFile = {
  EISDIR: (path: string) => `${path} is a folder, not a file`,
  EINVAL: (path: string) => `${path} is a FIFO, a socket or a device, not a file`,
};
