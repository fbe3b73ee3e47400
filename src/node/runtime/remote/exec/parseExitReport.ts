import { constants } from "node:os";
import { posix } from "node:path";
import {
  interpreterMissing,
  programIsFolder,
  programMissing,
  programNotExecutable,
  startFailed,
  workingDirectoryMissing,
  workingDirectoryNotEntered,
  workingDirectoryNotFolder,
} from "@/node/runtime/messages";
import type { Command, ExecEnd, ExecRequest } from "@/node/runtime/HookRuntime";

/** Parses the supervisor's report after `-ended`: how the program ended, or why it was not started. */
export function farEnd(report: string, request: ExecRequest): ExecEnd {
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
    "folder ENOENT": ["ENOENT", workingDirectoryMissing(cwd)],
    "folder ENOTDIR": ["ENOTDIR", workingDirectoryNotFolder(cwd)],
    "folder BELOW": ["ENOTDIR", workingDirectoryNotEntered(cwd, "ENOTDIR")],
    "folder EACCES": ["EACCES", workingDirectoryNotEntered(cwd, "EACCES")],
    "program ENOENT": ["ENOENT", programMissing(file)],
    "program EISDIR": ["EACCES", programIsFolder(file)],
    "program EACCES": ["EACCES", programNotExecutable(file)],
    "interpreter ENOENT": ["ENOENT", interpreterMissing(at, line.slice(0, MAX_LINE))],
  };
  const [errno, message] = failures[`${what} ${code}`] ?? [code, startFailed(file, code)];
  return { kind: "notStarted", code: errno, message };
}

/** Returns the program that a message about the command names. */
export function fileOf(command: Command): string {
  return "file" in command ? command.file : (command.shell ?? "sh");
}
