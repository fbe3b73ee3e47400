import { constants } from "node:os";
import { posix } from "node:path";
import type { Command, ExecEnd, ExecRequest } from "@/node/runtime/HookRuntime";

/** Parses the supervisor's report after `-ended`: how the program ended, or why it was not started. */
export function farEnd(report: string, request: ExecRequest): ExecEnd {
  const [, kind, first = "", second = "", rest = ""] =
    /^(\S+) (\S*) ?(\S*) ?([^]*?)\n?$/.exec(report) ?? [];
  if (kind === "refused") return refused(first, second, rest, request);
  if (kind !== "exited" || !/^\d+$/.test(first)) {
    return { kind: "lost", message: "what ran it on the far side was killed" };
  }
  if (rest === "limit") return { kind: "timedOut" };
  if (rest === "stopped") {
    return { kind: "lost", message: "the connection's input ended, so it was ended there" };
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

/** Returns the message of the local runtime, though the limit is that of the line to the other machine. */
export function tooLong(command: Command): string {
  return `the arguments and the environment of ${quoted(fileOf(command))} are longer than the system allows (E2BIG); hand the data over in a file or on standard input`;
}

/** Returns the failure with the messages of the local runtime. */
function refused(what: string, code: string, rest: string, request: ExecRequest): ExecEnd {
  const { cwd } = request;
  const file = quoted(fileOf(request.command));
  const [line = "", ...path] = rest.split("\n");
  const at = posix.resolve(cwd, path.join("\n"));
  const words: Record<string, [code: string, message: string]> = {
    "folder ENOENT": ["ENOENT", `the working directory ${cwd} does not exist`],
    "folder ENOTDIR": ["ENOTDIR", `the working directory ${cwd} is not a folder`],
    "folder BELOW": ["ENOTDIR", `the working directory ${cwd} cannot be entered (ENOTDIR)`],
    "folder EACCES": ["EACCES", `the working directory ${cwd} cannot be entered (EACCES)`],
    "program ENOENT": [
      "ENOENT",
      file.includes("/")
        ? `${file} does not exist`
        : `${file} is not on the PATH; install it or give its path`,
    ],
    "program EISDIR": ["EACCES", `${file} is a folder, not a program`],
    "program EACCES": [
      "EACCES",
      `${file} may not be executed; make it executable with chmod +x, or start it by its interpreter`,
    ],
    "interpreter ENOENT": [
      "ENOENT",
      `the interpreter of ${quoted(at)} does not exist; its first line is ${JSON.stringify(line.slice(0, MAX_LINE))}`,
    ],
  };
  const [errno, message] = words[`${what} ${code}`] ?? [code, `${file} could not be started`];
  return { kind: "notStarted", code: errno, message };
}

function fileOf(command: Command): string {
  return "file" in command ? command.file : (command.shell ?? "sh");
}

function quoted(file: string): string {
  return `“${file}”`;
}
