/** Reasons why a pass did not verify everything (G20c, G20d). */
import { clip, visible, plural } from "@/common/text";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import { fixedFiles } from "@/node/services/gauntlet/messages/fixes";
import { knownAtStop } from "@/node/services/gauntlet/messages/known";
import type { FixedFiles } from "@/node/services/gauntlet/run/runContext";

const MAX_NAMED = 3;
const MAX_NAME_CHARS = 200;

interface RunFacts {
  /** Whether every gate passed. Of a failed run, only the files that were fixed are notable. */
  readonly passed: boolean;
  /** Why the pass does not apply to the current files. */
  readonly unstable: string | undefined;
  /** Also those of jobs that are no longer due, because their fix left nothing to check. */
  readonly fixed: FixedFiles;
  /** Texts about failures that may be older than the change (G45). */
  readonly offers: readonly string[];
  readonly skipped: readonly SkippedIssue[];
}

/** Returns undefined if everything was verified and no file was fixed. */
export function caveatOf(
  gates: readonly GateResult[],
  { passed, unstable, fixed, offers, skipped }: RunFacts
): string | undefined {
  const known = gates.flatMap(({ jobId, outcome, known: part, logPath }) =>
    outcome === "known" && part !== undefined ? [knownAtStop(jobId, part, logPath)] : []
  );
  const caveats = [
    ...known,
    ...describeSkipped(skipped),
    ...leftOutViolations(gates),
    ...(passed ? unverified(gates, unstable) : offers),
    ...describeFixed(fixed),
  ];
  return caveats.length === 0 ? undefined : caveats.join("; ");
}

/** Returns the text that names the files that fixes changed, if there are any. */
export function describeFixed(fixed: FixedFiles): string[] {
  const files = [...new Set([...fixed.values()].flat())];
  return files.length === 0 ? [] : [fixedFiles(files.map((file) => visible(file)))];
}

/** Returns the texts of the violations that do not count (G12). */
export function leftOutViolations(gates: readonly GateResult[]): string[] {
  const all = gates.flatMap(({ slots = [] }) => slots.flatMap(({ leftOut = [] }) => leftOut));
  const shown = all.slice(0, MAX_LEFT_OUT).map((text) => clip(text, MAX_LEFT_OUT_CHARS));
  return all.length > shown.length
    ? [
        ...shown,
        `left out ${plural(all.length - shown.length, "further violation")}; "rawOutput" in the JSON of the review has them`,
      ]
    : shown;
}

function describeSkipped(skipped: readonly SkippedIssue[]): string[] {
  const shown = skipped
    .slice(0, MAX_LEFT_OUT)
    .map(
      ({ issue, reason }) =>
        `skipped: ${clip(issue, MAX_LEFT_OUT_CHARS)} (reason: ${clip(reason, MAX_LEFT_OUT_CHARS)})`
    );
  const more = skipped.length - shown.length;
  return more > 0
    ? [
        ...shown,
        `skipped ${plural(more, "further violation")}; the console log of the run has them`,
      ]
    : shown;
}

const MAX_LEFT_OUT = 20;
const MAX_LEFT_OUT_CHARS = 400;

function unverified(gates: readonly GateResult[], unstable: string | undefined): string[] {
  const slots = gates.flatMap((gate) => gate.slots ?? []);
  const cut = [...new Set(slots.flatMap((slot) => slot.cut ?? []))];
  const flakyChecks = gates.filter((gate) => gate.flaky === true);
  return [
    ...(unstable === undefined ? [] : [unstable]),
    ...flakyChecks.map(
      ({ jobId, runs = 2 }) => `${visible(jobId)} is flaky: it failed, and passed on run ${runs}`
    ),
    ...(cut.length > 0 ? [describeCut(cut)] : []),
  ];
}

function describeCut(files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMED).map((file) => clip(visible(file), MAX_NAME_CHARS));
  return filesTooLarge(names, files.length - names.length);
}

/** @param rest the number of files that are not named */
function filesTooLarge(names: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `files that no reviewer saw in full, because of their size or a NUL byte: ${names.join(", ")}${more}`;
}
