/** The messages of the runtimes, local and remote: why a program, a file or a connection failed, and the next step. */
import { ownCommand } from "@/common/ownCommand";

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

/** Replaces the name of a signal that this machine does not have. */
export function unnamedSignal(number: number): string {
  return `signal ${number}`;
}

// Output

/** Replaces omitted output, as a line of its own. logWriter.sh writes the same line on another machine. */
export function leftOut(bytes: number): string {
  return `[… ${bytes} byte${bytes === 1 ? "" : "s"} left out …]\n`;
}

// Files

export function folderNotFile(path: string): string {
  return `${path} is a folder, not a file`;
}

export function specialFile(path: string): string {
  return `${path} is a FIFO, a socket or a device, not a file`;
}

export function pathNotAbsolute(path: string): string {
  return `${JSON.stringify(path)} is not an absolute path`;
}

/** Names a file of another machine. @param to the target path of a rename */
export function remoteFile(path: string, label: string, to?: string): string {
  return to === undefined ? `'${path}' on ${label}` : `'${path}' -> '${to}' on ${label}`;
}

/** The output of a tool on another machine, if it has no known error code. */
export function remoteFileFailed(file: string, output: string): string {
  return `${file}: ${output === "" ? "the operation failed without a message" : output}`;
}

/** A system error in the form of Node. @param phrase the system's description of the code, if it is known */
export function remoteFileError(file: string, code: string, phrase: string | undefined): string {
  return phrase === undefined ? `${code}, ${file}` : `${code}: ${phrase}, ${file}`;
}

/** The file of a machine that could not be reached, or was lost. */
export function remoteFileLost(path: string, label: string, detail: string): string {
  return `${path} on ${label}: ${detail}`;
}

export function statOutputUnknown(line: string): string {
  return `stat printed an unknown format: “${line}”`;
}

export function remoteFolderMissing(path: string, label: string): string {
  return `the folder ${path} does not exist on ${label}`;
}

export function remoteFolderUnusable(path: string, label: string, detail: string): string {
  return `${path} on ${label} cannot be used: ${detail}`;
}

// Replies of another machine

export function replyLate(seconds: number): string {
  return `the machine did not reply within ${seconds} s`;
}

export const REPLY_MISMATCHED = "the reply of the machine does not match the request";

export const REPLY_TOO_LONG = "the reply of the machine is too long";

/** The shell for file operations ended early. @param output the end of its standard error */
export function replyIncomplete(exitCode: number, output: string): string {
  const printed = output === "" ? "" : `; it printed: ${output}`;
  return `the shell on the machine ended with exit code ${exitCode} before its reply was complete${printed}`;
}

// A program on another machine

export function loginShellSlow(seconds: number): string {
  return `the machine was reached, but its login shell did not start the program within ${seconds} s; run a command on the machine in a terminal to see why`;
}

export function loginShellFailed(exitCode: number): string {
  return `the machine was reached, but its login shell did not start sh (exit code ${exitCode}); run a command on the machine in a terminal to see why`;
}

/** The program was started, and its end is unknown. */
export function endNotReported(exitCode: number): string {
  return `the connection ended with exit code ${exitCode} before the machine reported the end of the program`;
}

export const SUPERVISOR_KILLED =
  "the shell that supervised the program on the workspace's machine was killed";

export const INPUT_CLOSED =
  "the input of the connection was closed, so the program was ended on the workspace's machine";

export const LOG_END_NOT_REPORTED = "the machine did not report whether the log is complete";

/** @param limit in KiB */
export function commandLineTooLong(limit: number): string {
  return `the command is longer than a command line to another machine may be (${limit} KiB); ${PASS_DATA}`;
}

// SSH

export const CONNECTION_CANCELLED = "the connection to the machine was cancelled";

export const SSH_CLOSED = "the SSH connection was closed";

export const SSH_MISSING = "ssh is not on the PATH; install the OpenSSH client";

export function sshProcessKilled(signal: string): string {
  return `the ssh process of the connection was killed by ${signal}`;
}

/** @param parents the folders that were tried */
export function noSocketFolder(parents: readonly string[]): string {
  return `no folder for the socket of the SSH connection can be created in ${parents.join(" or ")}; set TMPDIR to a writable folder with a short path`;
}

/** @param keyFile the file with the old key */
export function hostKeyChanged(host: string, command: string, keyFile = "known_hosts"): string {
  return `the host key of ${host} has changed, so it may be a different machine; if you expect the change, remove the old key from ${keyFile} and run "${command}" once in a terminal`;
}

export function hostKeyUnknown(host: string, command: string): string {
  return `the host key of ${host} is not known on this machine; run "${command}" once in a terminal and accept the key`;
}

/** @param methods the login methods that the machine accepts, if it named them */
export function loginRefused(host: string, command: string, methods = ""): string {
  const accepted = methods === "" ? "" : ` (it accepts ${methods})`;
  return `${host} refused the login${accepted}; ssh runs without prompts, so add a key with ssh-add or in ~/.ssh/config, and check that "${command}" connects without a prompt`;
}

export function hostUnknown(host: string): string {
  return `the host name ${host} cannot be resolved; use a name from ~/.ssh/config or from DNS`;
}

export function connectionRefused(host: string): string {
  return `${host} refused the connection; check that sshd runs on it and listens on the port that you use`;
}

export function hostUnreachable(host: string): string {
  return `${host} cannot be reached from this machine; check the network and the VPN`;
}

/** An established connection timed out. */
export function connectionTimedOut(host: string): string {
  return `the connection to ${host} was lost because ${host} stopped responding`;
}

export function loginTimedOut(host: string): string {
  return `${host} did not respond in time; check that the machine is on, and check the network`;
}

export function connectionCut(host: string): string {
  return `the connection to ${host} was closed unexpectedly`;
}

export function sshConfigWritable(file: string): string {
  return `ssh rejects ${file} because other users may write to it; run "chmod go-w ${file}"`;
}

export function sshConfigInvalid(line: string): string {
  return `ssh cannot read its configuration: ${line}`;
}

/** @param output the last line that ssh printed; empty if it printed none */
export function sshFailed(host: string, command: string, output: string): string {
  const detail = output === "" ? "without a message" : `with “${output}”`;
  return `the connection to ${host} failed ${detail}; run "${command}" in a terminal to see why`;
}

/** @param reason one of the next constants */
export function notSshWorkspace(text: string, reason: string): string {
  return `“${text}” is not an SSH workspace: ${reason}`;
}

export const SSH_TARGET_FORM = "expected ssh://[user@]host[:port]/path";
export const SSH_TARGET_PASSWORD = "a password is not supported; log in with a key";
export const SSH_TARGET_USER = "the user must be a plain name";
export const SSH_TARGET_HOST =
  "the host must be a plain name or an address, with an IPv6 address in brackets";
export const SSH_TARGET_PORT = "the port must be a number from 1 to 65535";
export const SSH_TARGET_PATH =
  "the path is not percent-encoded UTF-8, or contains a line break or a NUL byte";

// The process that starts hooks (spawner)

export function spawnerFailed(detail: string): string {
  return `the process that starts hooks could not be started, so hooks are started without it: ${detail}`;
}

export function spawnerSlow(limitSeconds: number, retrySeconds: number): string {
  return `the process that starts hooks was not ready within ${limitSeconds} s; hooks are started without it, and it is started again after ${retrySeconds} s`;
}

/** @param isOff whether the host does not start the process again */
export function spawnerLost(reason: string, isOff: boolean): string {
  const next = isOff ? "hooks are started without it from now on" : "the next hook starts it again";
  return `the process that starts hooks ended (${reason}); ${next}`;
}

/** The end of a program whose spawner was lost is unknown. */
export function starterLost(reason: string): string {
  return `the process that started the program ended (${reason})`;
}

export const SPAWNER_NOT_READY = "it was not ready in time";

export const SPAWNER_THREAD_ENDED = "its thread ended";

export function spawnerExited(code: number | null): string {
  return `exit code ${String(code)}`;
}

// AppImages

export function imageNotMounted(file: string, detail: string): string {
  return `${file} cannot be mounted (${detail}); unpack it with "${file} --appimage-extract", then run "${ownCommand()} hooks attach -- squashfs-root/AppRun"`;
}

export const IMAGE_PROCESS_ENDED = "its process ended";

const PASS_DATA = "pass the data in a file or on standard input";

function quoted(file: string): string {
  return `“${file}”`;
}
