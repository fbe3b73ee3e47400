/**
 * Derives the verdict of a hook from its exit code and output. Recognizes an exit 2 with which a program reports that
 * it could not run (H19a), and command lines that failed because a path needs quotes.
 */
import { unreachable } from "@/common/errors";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import * as outputs from "@/node/services/hooks/execution/parseOutput";
import type { HookEventName, HookOutcome, HookRun } from "@/node/services/hooks/contract/types";
import { createHash } from "node:crypto";

/** The verdict of one run. The other fields of a {@link HookRun} describe the hook and its duration. */
export type HookVerdict = Pick<
  HookRun,
  | "outcome"
  | "reason"
  | "context"
  | "stopReason"
  | "systemMessage"
  | "unverified"
  | "warnings"
  | "notes"
> & {
  readonly suppressOutput: boolean;
  /** Whether a part of the output that could have blocked cannot be used (H44). */
  readonly isUnclear?: boolean;
  /** The reason of a block that `continue: false` overrules. */
  readonly overruled?: string | undefined;
};

/** Exit 2: the hook blocks. */
export const BLOCKING_EXIT = 2;

/** Facts about a hook that its verdict depends on. */
export interface VerdictContext {
  readonly event: HookEventName;
  /** Names the hook in the reason that replaces a missing one. */
  readonly name: string;
  readonly timeoutMs: number;
  /** `file:line` of its settings, for the advice on a time limit. */
  readonly origin: string | undefined;
  /** Whether text on standard output is the reason of exit 2 if standard error is empty (H41). */
  readonly takesStdout?: boolean;
}

/** Returns the verdict of a program, as in the reference's table of exit codes. */
export function interpretExit(result: ExecResult, context: VerdictContext): HookVerdict {
  const { end } = result;
  switch (end.kind) {
    case "cancelled":
      return emptyVerdict("cancelled");
    case "lost":
      return failed(endUnknown(end.message));
    case "notStarted":
      return failed(notStarted(end.message));
    case "signaled":
      return failed(`killed by ${end.signal}`);
    case "timedOut":
      return failed(describeTimeout(context));
    case "exited":
      return judgeExit(end.code, result, context);
    default:
      return unreachable(end);
  }
}

/** Returns the verdict of output alone: that of an in-process handler, or of a command that exits with 0. */
export function judgeReading(reading: outputs.ParsedOutput): HookVerdict {
  const { blockReason, context } = reading;
  const outcome: HookOutcome = reading.endsTurn
    ? "end"
    : blockReason !== undefined
      ? "block"
      : context !== undefined
        ? "feedback"
        : "pass";
  const overruled = outcome === "end" ? blockReason : undefined;
  const reason = outcome === "block" ? blockReason : undefined;
  return { outcome, reason, overruled, ...carried(reading) };
}

export function failed(...warnings: string[]): HookVerdict {
  return { outcome: "failed", warnings, notes: [], suppressOutput: false };
}

export function emptyVerdict(outcome: HookOutcome): HookVerdict {
  return { outcome, warnings: [], notes: [], suppressOutput: false };
}

export function describeTimeout({ timeoutMs, origin }: VerdictContext): string {
  const where = origin === undefined ? "" : ` at ${origin}`;
  return `timed out after ${timeoutMs / 1000} s; raise its "timeout" (in seconds)${where} if it needs more time`;
}

function judgeExit(code: number, result: ExecResult, context: VerdictContext): HookVerdict {
  const reading = outputs.readStdout(result.stdout, context.event);
  if (code === 0) return judgeReading(reading);
  if (code === BLOCKING_EXIT) return judgeBlock(reading, result, context);
  if (reading.decides) {
    const note = `exit code ${code} ignored, because the JSON output decides`;
    return { ...judgeReading(reading), notes: [...reading.notes, note] };
  }
  const warning = failedWithExitCode(code, outputs.shortLine(result.stderr.text));
  return { outcome: "failed", ...carried(reading), warnings: [warning, ...reading.warnings] };
}

/** Returns the verdict of exit 2, which blocks regardless of the JSON, except for `continue: false`. */
function judgeBlock(
  reading: outputs.ParsedOutput,
  { stdout, stderr }: ExecResult,
  { name, takesStdout = false }: VerdictContext
): HookVerdict {
  const printed = takesStdout && !reading.decides ? outputs.text(stdout.text) : undefined;
  const given = reading.blockReason ?? reading.reason ?? outputs.text(stderr.text) ?? printed;
  const reason = given ?? `The hook ${name} blocked with exit code 2 and gave no reason.`;
  if (reading.endsTurn) {
    const note = "exit code 2 ignored, because continue: false takes precedence";
    return {
      outcome: "end",
      overruled: reason,
      ...carried(reading),
      notes: [...reading.notes, note],
    };
  }
  const advice = "blocked with exit code 2 without a reason; print the reason on stderr";
  const warnings = given === undefined ? [...reading.warnings, advice] : reading.warnings;
  return { outcome: "block", reason, ...carried(reading), warnings };
}

/** Returns the parts of an output that do not depend on the outcome. */
function carried(reading: outputs.ParsedOutput): Omit<HookVerdict, "outcome" | "reason"> {
  const { blockReason: _, reason: __, endsTurn: ___, decides: ____, ...rest } = reading;
  return rest;
}

/** Texts that common programs print on stderr if they cannot run the check at all. */
const PHRASES = [
  "Can't open perl script",
  "can't cd to", // cd missing, under dash
  "No such file or directory",
  "command not found",
];
const CASELESS_PHRASES = [
  "syntax error", // bash, dash
  "unexpected eof",
  "unexpected end of file",
  ...["invalid", "illegal", "unrecognized", "unknown"].map((word) => `${word} option`),
];
const MAKE_FAILED = /^make(?:\[\d+\])?: \*\*\*/;

/** Returns an identifier of the launch failure if stderr looks like one. Equal identifiers mean the same failure. */
export function launchFailureOf(hookName: string, stderr: string): string | undefined {
  if (!isLaunchFailure(stderr)) return undefined;
  const text = `${hookName}\0${stderr.trim()}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Searches for each text once, so that the time is linear in the length (H20a). */
function isLaunchFailure(stderr: string): boolean {
  const lower = stderr.toLowerCase();
  const lines = stderr.split("\n");
  // Python's argparse: a line with the usage, and that line or a later one with the error.
  const usage = lines.findIndex((line) => /^[uU]sage: /.test(line));
  return (
    PHRASES.some((phrase) => stderr.includes(phrase)) ||
    CASELESS_PHRASES.some((phrase) => lower.includes(phrase)) ||
    (usage >= 0 && lines.slice(usage).some((line) => line.includes("error: "))) ||
    lines.some(isFailedLine)
  );
}

function isFailedLine(line: string): boolean {
  return (
    line.endsWith(": not found") ||
    MAKE_FAILED.test(line) ||
    hasInOrder(line, "can't open file ", "[Errno ") || // python3 missing.py
    hasInOrder(line.toLowerCase(), "cannot open ", "no such file") // sh missing.sh
  );
}

function hasInOrder(line: string, first: string, second: string): boolean {
  const at = line.indexOf(first);
  return at >= 0 && line.includes(second, at + first.length);
}

/** Characters at which a shell splits an unquoted value, or expands it as a pattern. */
const SPLITS = /[\s*?[]/;
/** A quoted string. An unclosed quote reaches to the end, so that no text is read twice. */
const QUOTED = /'[^']*'?|"(?:[^"\\]+|\\.)*"?/gs;
const UNQUOTED_PROJECT = /(?:^|[\s;&|(])\$\{?((?:MUX|CLAUDE)_PROJECT_DIR)\b/;
const UNQUOTED_PLUGIN = /(?:^|[\s;&|(])\$\{?(CLAUDE_PLUGIN_ROOT)\b/;

/** Returns a hint for a command line that failed while the path of the project or of its plugin needs quotes. */
export function quotingHint(
  script: string,
  projectDir: string,
  pluginRoot = ""
): string | undefined {
  const unquoted = script.replaceAll(QUOTED, '""');
  const find = (pattern: RegExp, path: string): string | undefined =>
    SPLITS.test(path) ? pattern.exec(unquoted)?.[1] : undefined;
  const project = find(UNQUOTED_PROJECT, projectDir);
  if (project !== undefined) return pathNotQuoted(project, "project");
  const plugin = find(UNQUOTED_PLUGIN, pluginRoot);
  return plugin === undefined ? undefined : pathNotQuoted(plugin, "plugin");
}

/** @param variable with the path of `owner` */
function pathNotQuoted(variable: string, owner: "project" | "plugin"): string {
  return `the path of the ${owner} has characters that a shell splits or expands; in the command of the hook, write "$${variable}" with the double quotes`;
}

export function endUnknown(problem: string): string {
  return `ended with an unknown result: ${problem}`;
}

export function notStarted(problem: string): string {
  return `could not be started: ${problem}`;
}

/** @param stderrLine the first line of standard error; may be empty */
export function failedWithExitCode(code: number, stderrLine: string): string {
  return `failed with exit code ${code}${stderrLine === "" ? "" : `: ${stderrLine}`}`;
}
