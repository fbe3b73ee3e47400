/** Derives the verdict of a hook from its exit and its output (the exit code table of the reference). */
import { unreachable } from "@/common/errors";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import {
  readStdout,
  shortLine,
  text,
  type ParsedOutput,
} from "@/node/services/hooks/execution/parseOutput";
import type { HookEventName, HookOutcome, HookRun } from "@/node/services/hooks/contract/types";
import {
  endUnknown,
  failedWithExitCode,
  notStarted,
} from "@/node/services/hooks/messages/execution";

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
};

/** Exit 2: the hook blocks. */
export const BLOCKING_EXIT = 2;

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
export function judgeReading(reading: ParsedOutput): HookVerdict {
  const { blockReason, context } = reading;
  const outcome: HookOutcome = reading.endsTurn
    ? "end"
    : blockReason !== undefined
      ? "block"
      : context !== undefined
        ? "feedback"
        : "pass";
  return { outcome, reason: outcome === "block" ? blockReason : undefined, ...carried(reading) };
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
  const reading = readStdout(result.stdout, context.event);
  if (code === 0) return judgeReading(reading);
  if (code === BLOCKING_EXIT) return judgeBlock(reading, result, context);
  if (reading.decides) {
    const verdict = judgeReading(reading);
    return {
      ...verdict,
      notes: [...verdict.notes, `exit code ${code} ignored, because the JSON output decides`],
    };
  }
  const line = shortLine(result.stderr.text);
  return {
    ...emptyVerdict("failed"),
    ...carried(reading),
    warnings: [failedWithExitCode(code, line), ...reading.warnings],
  };
}

/** Returns the verdict of exit 2, which blocks regardless of the JSON, except for `continue: false`. */
function judgeBlock(
  reading: ParsedOutput,
  { stdout, stderr }: ExecResult,
  { name, takesStdout = false }: VerdictContext
): HookVerdict {
  const carriedFields = carried(reading);
  if (reading.endsTurn) {
    const notes = [
      ...reading.notes,
      "exit code 2 ignored, because continue: false takes precedence",
    ];
    return { outcome: "end", ...carriedFields, notes };
  }
  const printed = takesStdout && !reading.decides ? text(stdout.text) : undefined;
  const reason = reading.blockReason ?? text(stderr.text) ?? printed;
  if (reason !== undefined) return { outcome: "block", reason, ...carriedFields };
  const advice = "blocked with exit code 2 without a reason; print the reason on stderr";
  return {
    outcome: "block",
    reason: `The hook ${name} blocked with exit code 2 and gave no reason.`,
    ...carriedFields,
    warnings: [...reading.warnings, advice],
  };
}

/** Returns the parts of an output that do not depend on the outcome. */
function carried(reading: ParsedOutput): Omit<HookVerdict, "outcome" | "reason"> {
  const { blockReason: _, endsTurn: __, decides: ___, ...rest } = reading;
  return rest;
}
