/**
 * Prints the events of a run on standard error, live on a terminal or else as plain lines, with the details of failed
 * gates (G30). `--quiet` and `--verbose` select how much.
 */
import { eventLines, verdictLines } from "@/node/services/gauntlet/report/eventLines";
import type { CliContext, Output } from "@/cli/context";
import { GateProgress, type DetailLine } from "@/cli/gauntlet/render/gateProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import type { Files } from "@/node/runtime/HookRuntime";
import { isCi } from "@/common/isCi";
import type { RunEvent, RunListener } from "@/node/services/gauntlet/domain/runResult";
import { isFailure, type GateResult, type SlotResult } from "@/node/services/gauntlet/domain/gate";
import { KIB } from "@/common/limits";
import { clip, visible } from "@/common/safeText";
import { findingLine } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { endOfLog } from "@/node/services/gauntlet/reason/logExcerpts";
import { openViolations } from "@/node/services/gauntlet/reason/findingTexts";

/** Prints an event as plain lines (G30a). */
function printPlain(
  output: Output,
  isQuiet: boolean,
  event: RunEvent,
  details: readonly DetailLine[]
): void {
  const lines =
    isQuiet && event.type === "run-end" ? verdictLines(event.result) : eventLines(event);
  // The path of the log is in both.
  const more = details.map(({ text }) => text).filter((text) => !lines.includes(text));
  for (const line of [...lines, ...more]) output.write(`${line}\n`);
}

/** The amount of output that `--quiet` and `--verbose` select. */
export type Detail = "quiet" | "normal" | "verbose";

/**
 * Returns a listener that prints the events of a run, and `end`, which resolves when everything has been printed.
 *
 * @param options.plain whether the lines are plain on a terminal too
 */
export function openRunOutput(
  files: Files,
  context: CliContext,
  { plain, detail }: { readonly plain: boolean; readonly detail: Detail }
): { readonly listener: RunListener; readonly end: () => Promise<void> } {
  const { stdout, stderr, env, clock } = context;
  // If standard output is not a terminal, the program that reads it may print its own lines on the terminal.
  const isTerminal = isLive(stderr, env) && isLive(stdout, env) && !plain && !isCi(env);
  const isQuiet = detail === "quiet";
  const style = styleFor(stderr, env);
  const progress = isTerminal
    ? new GateProgress({ lines: new LiveLines(stderr, !isQuiet), style, clock, isQuiet })
    : undefined;
  const print = (event: RunEvent, details: readonly DetailLine[]): void => {
    if (progress === undefined) printPlain(stderr, isQuiet, event, details);
    else progress.onEvent(event, details);
  };
  const stopListening = context.onExit(() => progress?.clear());
  const hasDetails = isTerminal || detail === "verbose";
  // Events wait for those before them, because the details of a gate are read from files.
  let last = Promise.resolve();
  let waiting = 0;
  const show = async (event: RunEvent): Promise<void> => {
    const details =
      event.type === "gate-end" && hasDetails
        ? await readDetails(files, event.result, detail === "verbose").catch(() => [])
        : [];
    print(event, details);
  };
  return {
    listener: (event) => {
      if (isQuiet && !isShownQuietly(event)) return;
      if (waiting === 0 && event.type !== "gate-end") {
        print(event, []);
        return;
      }
      waiting++;
      last = last
        .then(() => show(event))
        .catch(() => undefined)
        .finally(() => waiting--);
    },
    end: async () => {
      await last;
      stopListening();
    },
  };
}

/** Returns whether `--quiet` keeps an event. */
function isShownQuietly(event: RunEvent): boolean {
  if (event.type === "notice") return event.level === "warning";
  if (event.type === "gate-end") return isFailure(event.result);
  if (event.type === "slot-end") return isFailedSlot(event.slot);
  return event.type === "plan" || event.type === "run-end";
}

const NORMAL = { findings: 10, logLines: 10, logBytes: 32 * KIB };
type Size = typeof NORMAL;
const VERBOSE: Size = { findings: Infinity, logLines: 100, logBytes: 256 * KIB };
const MAX_LINE_CHARS = 400;
const INDENT = "      ";

/** Returns the lines below the result of a gate: findings, violations, or the last lines of its log (G30). */
export async function readDetails(
  files: Files,
  result: GateResult,
  isVerbose: boolean
): Promise<DetailLine[]> {
  const size = isVerbose ? VERBOSE : NORMAL;
  if (!isFailure(result)) {
    const hasRun = result.outcome === "passed" && result.cachedSince === undefined;
    return isVerbose && hasRun ? await lastLines(files, result, { ...size, logLines: 1 }) : [];
  }
  if (result.slots !== undefined) {
    const failed = result.slots.filter(isFailedSlot);
    return (await Promise.all(failed.map((slot) => slotDetails(files, slot, size)))).flat();
  }
  const { findings = [], findingsPath, logPath } = result;
  const lines =
    findings.length > 0
      ? cutList(findings.map(findingLine), size.findings, findingsPath)
      : await lastLines(files, result, size);
  return [...lines, ...(logPath === undefined ? [] : [detailLine(`Log: ${visible(logPath)}`)])];
}

function isFailedSlot({ outcome }: SlotResult): boolean {
  return outcome === "failed" || outcome === "error";
}

/** Returns why a reviewer failed, its violations, and where they are. */
async function slotDetails(
  files: Files,
  { slot, reviewer, message, jsonPath }: SlotResult,
  size: Size
): Promise<DetailLine[]> {
  const why = message === undefined ? "" : `: ${visible(message)}`;
  const name = detailLine(`${visible(reviewer)}@${slot}${why}`);
  if (jsonPath === undefined) return [name];
  const violations = cutList(await openViolations(files, jsonPath), size.findings, undefined);
  return [name, ...violations, detailLine(`Review: ${visible(jsonPath)}`)];
}

function cutList(lines: readonly string[], max: number, path: string | undefined): DetailLine[] {
  const shown = lines.slice(0, max).map((line) => detailLine(clip(line, MAX_LINE_CHARS)));
  const rest = lines.length - shown.length;
  const whole = path === undefined ? "" : `: ${visible(path)}`;
  return rest === 0 ? shown : [...shown, detailLine(`${rest} more${whole}`)];
}

async function lastLines(files: Files, result: GateResult, size: Size): Promise<DetailLine[]> {
  const log = await endOfLog(files, result, size.logBytes);
  return log
    .split("\n")
    .map((line) => line.trimEnd().replaceAll("\t", "    "))
    .filter((line) => line !== "")
    .slice(-size.logLines)
    .map((line) => ({ text: `${INDENT}| ${visible(clip(line, MAX_LINE_CHARS))}`, isQuoted: true }));
}

function detailLine(text: string): DetailLine {
  return { text: `${INDENT}${text}` };
}
