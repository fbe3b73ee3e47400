/** The messages of the runtimes, local and remote: why a program, a file or a connection failed, and the next step. */

import { describeError, errorCode } from "@/common/errors";
import type { FileFailure } from "@/node/runtime/HookRuntime";

// Starting a program

export function startFailed(file: string, detail: string): string {
  return `${quoted(file)} could not be started: ${detail}`;
}

export const NUL_BYTE =
  "the command, its working directory or its environment contains a NUL byte, which the system does not accept; remove it";

export function workingDirectoryMissing(cwd: string): string {
  return `the working directory ${cwd} does not exist`;
}

export function workingDirectoryNotFolder(cwd: string): string {
  return `the working directory ${cwd} is not a folder`;
}

/** @param detail the system's error code, or its message if it has none */
export function workingDirectoryNotEntered(cwd: string, detail: string): string {
  return `the working directory ${cwd} cannot be entered (${detail})`;
}

export function programMissing(file: string): string {
  return file.includes("/")
    ? `${quoted(file)} does not exist`
    : `${quoted(file)} is not on the PATH; install it or give its path`;
}

export function programIsFolder(file: string): string {
  return `${quoted(file)} is a folder, not a program`;
}

export function programNotExecutable(file: string): string {
  return `${quoted(file)} is not executable; make it executable with "chmod +x", or start it with its interpreter`;
}

export function interpreterMissing(path: string, firstLine: string): string {
  return `the interpreter of ${quoted(path)} does not exist; its first line is ${JSON.stringify(firstLine)}`;
}

export function loaderMissing(path: string): string {
  return `${quoted(path)} exists, but the loader that it was built for does not exist on this machine; install a build for this machine`;
}

export function argumentsTooLong(file: string): string {
  return `the arguments and the environment of ${quoted(file)} are longer than the system allows (E2BIG); ${PASS_DATA}`;
}

/** The system cannot execute the format of the file. */
export function formatUnknown(file: string): string {
  return `${quoted(file)} is not a program that this machine can run; a script needs a first line such as #!/bin/sh`;
}

export function noFileDescriptor(file: string, code: string): string {
  return `${quoted(file)} could not be started because no file descriptor is free (${code}); raise the limit with ulimit -n`;
}

export function noProcess(file: string, code: string): string {
  return `${quoted(file)} could not be started because the system cannot create another process (${code}); end some processes, or raise the limit with ulimit -u`;
}

/** @param detail why the log could not be opened; the program was not started */
export function logNotWritable(detail: string): string {
  return `its log cannot be written: ${detail}`;
}

/** Replaces the name of a signal that the system did not report. */
export const UNKNOWN_SIGNAL = "an unknown signal";

// Output

/** Replaces omitted output, as a line of its own. logWriter.sh writes the same line on another machine. */
export function leftOut(bytes: number): string {
  return `[… ${bytes} byte${bytes === 1 ? "" : "s"} left out …]\n`;
}

// Files

export function fileFailure(path: string, thrown: unknown): FileFailure {
  return { path, code: errorCode(thrown) ?? "UNKNOWN", message: describeError(thrown) };
}

export function folderNotFile(path: string): string {
  return `${path} is a folder, not a file`;
}

export function specialFile(path: string): string {
  return `${path} is a FIFO, a socket or a device, not a file`;
}

// A program on another machine

/** @param limit in KiB */
export function commandLineTooLong(limit: number): string {
  return `the command is longer than a command line to another machine may be (${limit} KiB); ${PASS_DATA}`;
}

// AppImages

const PASS_DATA = "pass the data in a file or on standard input";

function quoted(file: string): string {
  return `“${file}”`;
}
