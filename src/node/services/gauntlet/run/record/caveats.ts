/** Reasons why a pass did not verify everything (G20c, G20d). */
import { clip, visible, plural } from "@/common/text";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import { fixedByAll } from "@/node/services/gauntlet/messages/fixes";
import { knownAtStop } from "@/node/services/gauntlet/messages/known";
import type { FixedTree } from "@/node/services/gauntlet/run/runContext";

const MAX_NAMED = 3;
const MAX_NAME_CHARS = 200;
const MAX_LEFT_OUT = 20;
const MAX_LEFT_OUT_CHARS = 400;

interface RunFacts {
  /** Whether every gate passed. If not, only the files that were fixed are notable. */
  readonly passed: boolean;
  /** Why the pass does not apply to the current files. */
  readonly unstable: string | undefined;
  /** Also those of jobs that are no longer due, because their fix left nothing to check. */
  readonly fixed: FixedTree["fixed"];
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
    ...fixedByAll(fixed),
  ];
  return caveats.length === 0 ? undefined : caveats.join("; ");
}

/** Returns the texts of the violations that do not count (G12). */
export function leftOutViolations(gates: readonly GateResult[]): string[] {
  const all = gates.flatMap(({ slots = [] }) => slots.flatMap(({ leftOut = [] }) => leftOut));
  return firstOf(
    all.map((text) => clip(text, MAX_LEFT_OUT_CHARS)),
    (more) => `left out ${more}; "rawOutput" in the JSON of the review has them`
  );
}

function describeSkipped(skipped: readonly SkippedIssue[]): string[] {
  return firstOf(
    skipped.map(
      ({ issue, reason }) =>
        `skipped: ${clip(issue, MAX_LEFT_OUT_CHARS)} (reason: ${clip(reason, MAX_LEFT_OUT_CHARS)})`
    ),
    (more) => `skipped ${more}; the console log of the run has them`
  );
}

function firstOf(all: readonly string[], rest: (more: string) => string): string[] {
  const more = all.length - MAX_LEFT_OUT;
  const last = more > 0 ? [rest(plural(more, "further violation"))] : [];
  return [...all.slice(0, MAX_LEFT_OUT), ...last];
}

function unverified(gates: readonly GateResult[], unstable: string | undefined): string[] {
  const slots = gates.flatMap((gate) => gate.slots ?? []);
  const cut = [...new Set(slots.flatMap((slot) => slot.cut ?? []))];
  const names = cut.slice(0, MAX_NAMED).map((file) => clip(visible(file), MAX_NAME_CHARS));
  const more = cut.length > MAX_NAMED ? ` and ${cut.length - MAX_NAMED} more` : "";
  const cutText = `files that no reviewer saw in full, because of their size or a NUL byte: ${names.join(", ")}${more}`;
  const flaky = gates.filter((gate) => gate.flaky === true);
  return [
    ...(unstable === undefined ? [] : [unstable]),
    ...flaky.map(
      ({ jobId, runs = 2 }) => `${visible(jobId)} is flaky: it failed, and passed on run ${runs}`
    ),
    ...(cut.length > 0 ? [cutText] : []),
  ];
}
