/**
 * Builds the scripts and arguments that run a program with its environment on another machine, parses their reports
 * about its end and its log, and adds the footer to the log. The rules of the scripts are at the top of supervisor.sh.
 */
import type { ExecRequest, Command, ExecEnd, LogTarget } from "@/node/runtime/HookRuntime";
import { matcherOf } from "@/node/runtime/envMatcher";
import enterFolder from "@/node/runtime/remote/exec/enterFolder.sh";
import logWriter from "@/node/runtime/remote/exec/logWriter.sh";
import runLogged from "@/node/runtime/remote/exec/runLogged.sh";
import supervisor from "@/node/runtime/remote/exec/supervisor.sh";
import { onOneLine, READ_WORDS, shellWord } from "@/node/runtime/remote/shellLine";
import { constants } from "node:os";
import { posix } from "node:path";
import { notStarted } from "@/node/runtime/messages";
import { nothingKept, type Ended, type Output } from "@/node/runtime/process/output/OutputCapture";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import { failureOfConnection, failureOfText } from "@/node/runtime/remote/fileFailures";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";

/** The script that runs a program whose output goes to the channel's streams. */
export const SUPERVISOR = onOneLine(`${READ_WORDS}\n${supervisor}\n${enterFolder}\nsupervise "$@"`);

/**
 * The script that runs a program whose output goes to a file. The six arguments of logWriter.sh precede the program.
 */
export const LOGGED_SUPERVISOR = onOneLine(
  [READ_WORDS, supervisor, logWriter, enterFolder, runLogged].join("\n")
);

/**
 * Returns the shell commands that make the environment of a request (H14). `environment` removes names and then sets
 * values. `around` puts `env` before the program for names that the shell cannot set itself (`A-B`, and names with a
 * meaning for it).
 */
export function environmentScript({ env = {}, unsetEnv = [], passEnv = [] }: ExecRequest): {
  readonly environment: string;
  readonly around: string;
} {
  const values = Object.entries(env);
  const own = values.filter(([name]) => isSettable(name)).map(assignment);
  const others = values.filter(([name]) => !isSettable(name)).map(assignment);
  return {
    environment: [
      ...unset(unsetEnv, passEnv),
      ...(own.length > 0 ? [`export ${own.join(" ")}`] : []),
    ].join("; "),
    around: others.length > 0 ? `set -- env ${others.join(" ")} "$@"` : "",
  };
}

function assignment([name, value]: [string, string]): string {
  return isSettable(name) ? `${name}=${shellWord(value)}` : shellWord(`${name}=${value}`);
}

function isSettable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !SPECIAL.test(name);
}

/** Names with a meaning for the shell, and the variables of the scripts. */
const SPECIAL =
  /^(_|IFS|ENV|PPID|UID|EUID|GROUPS|PWD|OLDPWD|LINENO|OPTIND|OPTARG|RANDOM|SECONDS|EPOCH\w+|HIST\w*|PS\d|POSIXLY_CORRECT|SHELLOPTS|DIRSTACK|FUNCNAME|HOSTNAME|[A-Z]*BASH\w*|t|limit|bytes|cwd|environment|around|foreground|rows|watcher|session|program|found|why|folder|ending|words|code|count|line|interpreter|name|names)$/;

/** Returns the commands that remove names. The environment is only listed if a pattern needs it. */
function unset(unsetEnv: readonly string[], passEnv: readonly string[]): string[] {
  const isPassed = matcherOf(passEnv);
  const plain = unsetEnv.filter((name) => isName(name) && !isPassed(name));
  const beginnings = unsetEnv.filter((pattern) => /^\w*\*$/.test(pattern));
  const passed = passEnv.filter((pattern) => /^\w*\*?$/.test(pattern));
  const lines = plain.length > 0 ? [`unset ${plain.join(" ")}`] : [];
  if (beginnings.length > 0) {
    const anyOf = (names: readonly string[]): string => names.map((name) => `${name}=*`).join("|");
    const keep = passed.length > 0 ? `${anyOf(passed)}) continue;; ` : "";
    const alternatives = beginnings.map((pattern) => `*" "${pattern}`).join("|");
    lines.push(
      // Checking each name takes longer, and usually none matches. A word of a value may be a variable of the script.
      `names=$(export -p); case $names in ${alternatives}) set -f; for name in $names; do ` +
        `case $name in ${keep}${anyOf(beginnings)}) command unset "\${name%%=*}";; esac; done; set +f;; esac`
    );
  }
  return lines;
}

function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

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
  // A shell prints a message before the number if a signal ended the program, and none for an exit. SIGINT and SIGPIPE,
  // for which shells print none either, count as exits, since `pipefail` makes 141 a usual exit code.
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
  const [, bytes, words = ""] = /^(\d+) ([^]*)\n/.exec(report.slice(at + mark.length)) ?? [];
  const log = bytes === undefined ? undefined : { bytes: Number(bytes), words: words.trim() };
  return [report.slice(0, at), log];
}

/** Adds the footer to a log. It holds both streams, so `stdout` counts the bytes of both. */
export async function closeRemoteLog(
  shell: RemoteShell,
  { path, footer }: LogTarget,
  report: LogReport | undefined,
  ended: Ended
): Promise<Output> {
  const place = { path, label: shell.label };
  const { end } = ended;
  const output = { stdout: nothingKept(report?.bytes), stderr: nothingKept() };
  if (report !== undefined && report.words !== "") {
    return { ...output, logFailure: failureOfText(place, report.words) };
  }
  if (report === undefined && end.kind !== "notStarted") {
    const unknown = "the machine did not report whether the log is complete";
    const message = end.kind === "lost" ? end.message : unknown;
    return { ...output, logFailure: failureOfConnection(place, { message }) };
  }
  const text = await footer?.(ended);
  if (text === undefined || text === "") return output;
  const added = await new RemoteFiles(shell).appendFile(path, text);
  return { ...output, logFailure: added.isErr() ? added.error : undefined };
}
