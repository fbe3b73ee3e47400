/** What a person sees of a gate below its result: findings, violations, or the last lines of its log (G30). */
import { KIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import { isFailure, type GateResult, type SlotResult } from "@/node/services/gauntlet/domain/gate";
import { findingLine } from "@/node/services/gauntlet/gates/findings/listFindings";
import { endOfLog, openViolations } from "@/node/services/gauntlet/reason/leftByGate";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";

/** One line. */
export interface DetailLine {
  readonly text: string;
  /** Of the output of a program. A view may cut it, because the log has all of it. */
  readonly isQuoted?: boolean;
}

interface Size {
  readonly findings: number;
  readonly logLines: number;
  readonly logBytes: number;
}

const NORMAL: Size = { findings: 10, logLines: 10, logBytes: 32 * KIB };
const VERBOSE: Size = { findings: Infinity, logLines: 100, logBytes: 256 * KIB };
const MAX_LINE_CHARS = 400;
const INDENT = "      ";
const TAB = "    ";

/** Reads the details of a result. A passed gate has some only if `isVerbose`. Never rejects for a missing file. */
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
    const slots = await Promise.all(
      result.slots.filter(isFailedSlot).map((slot) => slotDetails(files, slot, size))
    );
    return slots.flat();
  }
  const { findings = [], findingsPath, logPath } = result;
  const lines =
    findings.length > 0
      ? cutList(findings.map(findingLine), size.findings, findingsPath)
      : await lastLines(files, result, size);
  return [...lines, ...(logPath === undefined ? [] : [own(`Log: ${visible(logPath)}`)])];
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
  const name = own(`${visible(reviewer)}@${slot}${why}`);
  if (jsonPath === undefined) return [name];
  const path = visible(jsonPath);
  const violations = cutList(await openViolations(files, jsonPath), size.findings, undefined);
  return [name, ...violations, own(`Review: ${path}`)];
}

function cutList(lines: readonly string[], max: number, path: string | undefined): DetailLine[] {
  const shown = lines.slice(0, max).map((line) => own(clip(line, MAX_LINE_CHARS)));
  const rest = lines.length - shown.length;
  const whole = path === undefined ? undefined : visible(path);
  return rest === 0
    ? shown
    : [...shown, own(`${rest} more${whole === undefined ? "" : `: ${whole}`}`)];
}

async function lastLines(files: Files, result: GateResult, size: Size): Promise<DetailLine[]> {
  const log = await endOfLog(files, result, size.logBytes);
  return log
    .split("\n")
    .map((line) => line.trimEnd().replaceAll("\t", TAB))
    .filter((line) => line !== "")
    .slice(-size.logLines)
    .map((line) => ({ text: `${INDENT}| ${visible(clip(line, MAX_LINE_CHARS))}`, isQuoted: true }));
}

function own(text: string): DetailLine {
  return { text: `${INDENT}${text}` };
}

export interface RunView {
  /** @param details what is shown below the result of a gate */
  onEvent(event: RunEvent, details: readonly DetailLine[]): void;
  /** Removes what would be redrawn, because the process ends before the run. */
  clear(): void;
}
