import { constants } from "node:os";
import { posix } from "node:path";
import type {
  Command,
  ExecEnd,
  ExecRequest,
  FileFailure,
  LogTarget,
} from "@/node/runtime/HookRuntime";
import { notStarted } from "@/node/runtime/messages";
import { nothingKept, type Ended, type Output } from "@/node/runtime/process/output/OutputCapture";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import { failureOfConnection, failureOfText } from "@/node/runtime/remote/errors";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";

/** Parses the supervisor's report after `-ended`: how the program ended, or why it was not started. */
export function readEnd(report: string, request: ExecRequest): ExecEnd {
  const [, kind, first = "", second = "", rest = ""] =
    /^(\S+) (\S*) ?(\S*) ?([^]*?)\n?$/.exec(report) ?? [];
  if (kind === "refused") return refused(first, second, rest, request);
  if (kind !== "exited" || !/^\d+$/.test(first)) {
    return {
      kind: "lost",
      message: "the shell that supervised the program on the workspace's machine was killed",
    };
  }
  if (rest === "limit") return { kind: "timedOut" };
  if (rest === "stopped") {
    return {
      kind: "lost",
      message:
        "the input of the connection was closed, so the program was ended on the workspace's machine",
    };
  }
  const code = Number(first);
  // A shell prints a message before the number if a signal ended the program, and none for an exit.
  const isSignal = Number(second) > 1 && code > SIGNAL_BASE;
  if (!isSignal) return { kind: "exited", code };
  return { kind: "signaled", signal: signalName(code - SIGNAL_BASE) };
}

const SIGNAL_BASE = 128;
const MAX_LINE = 200;

function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return known?.[0] ?? `signal ${number}`;
}

/** Returns the same failure as the local runtime. */
function refused(what: string, code: string, rest: string, request: ExecRequest): ExecEnd {
  const { cwd } = request;
  const file = fileOf(request.command);
  const [line = "", ...path] = rest.split("\n");
  const at = posix.resolve(cwd, path.join("\n"));
  const failures: Record<string, [code: string, message: string]> = {
    "folder ENOENT": ["ENOENT", notStarted.folderMissing(cwd)],
    "folder ENOTDIR": ["ENOTDIR", notStarted.notFolder(cwd)],
    "folder BELOW": ["ENOTDIR", notStarted.notEntered(cwd, "ENOTDIR")],
    "folder EACCES": ["EACCES", notStarted.notEntered(cwd, "EACCES")],
    "program ENOENT": ["ENOENT", notStarted.programMissing(file)],
    "program EISDIR": ["EACCES", notStarted.isFolder(file)],
    "program EACCES": ["EACCES", notStarted.notExecutable(file)],
    "interpreter ENOENT": ["ENOENT", notStarted.interpreterMissing(at, line.slice(0, MAX_LINE))],
  };
  const [errno, message] = failures[`${what} ${code}`] ?? [code, notStarted.other(file, code)];
  return { kind: "notStarted", code: errno, message };
}

/** Returns the program that a message about the command names. */
export function fileOf(command: Command): string {
  return "file" in command ? command.file : (command.shell ?? "sh");
}

/** Returns the six arguments of logWriter.sh. */
export function logArguments({ path, keepBytes, header = "", footer }: LogTarget): string[] {
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 1));
  const [head, half] = [Math.ceil(keepBytes / 2), Math.floor(keepBytes / 2)];
  const hasFooter = footer === undefined ? "" : "1";
  return [path, folder, String(head), String(half), header, hasFooter];
}

/** The other machine's report about a log, sent after it was written. */
export interface LogReport {
  readonly bytes: number;
  /** The error messages of its tools; empty if the log is complete. */
  readonly words: string;
}

/** Splits the line about the log off the end of the report about the program. */
export function splitLogReport(report: string, token: string): [string, LogReport | undefined] {
  const mark = `${token}-logged `;
  const at = report.lastIndexOf(mark);
  if (at === -1) return [report, undefined];
  const [, bytes = "", words = ""] = /^(\d+) ([^]*)$/.exec(report.slice(at + mark.length)) ?? [];
  return [report.slice(0, at), { bytes: Number(bytes), words: words.trim() }];
}

/** Adds the footer to a log. It holds both streams, so `stdout` counts the bytes of both. */
export async function closeRemoteLog(
  shell: RemoteShell,
  target: LogTarget,
  report: LogReport | undefined,
  ended: Ended
): Promise<Output> {
  const failure = lackOf(shell, target, report, ended) ?? (await addFooter(shell, target, ended));
  return { stdout: nothingKept(report?.bytes), stderr: nothingKept(), logFailure: failure };
}

function lackOf(
  { label }: RemoteShell,
  { path }: LogTarget,
  report: LogReport | undefined,
  { end }: Ended
): FileFailure | undefined {
  if (report !== undefined && report.words !== "") {
    return failureOfText({ path, label }, report.words);
  }
  if (report !== undefined || end.kind === "notStarted") return undefined;
  const message =
    end.kind === "lost" ? end.message : "the machine did not report whether the log is complete";
  return failureOfConnection({ path, label }, { message });
}

async function addFooter(
  shell: RemoteShell,
  { path, footer }: LogTarget,
  ended: Ended
): Promise<FileFailure | undefined> {
  const text = await footer?.(ended);
  if (text === undefined || text === "") return undefined;
  const added = await new RemoteFiles(shell).appendFile(path, text);
  return added.isErr() ? added.error : undefined;
}
