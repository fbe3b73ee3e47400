/** The end of a run on a terminal: what was resolved, the numbers of gates, the time, and the verdict (G30). */
import { truncateMiddle } from "@/cli/render/displayWidth";
import { formatDuration } from "@/common/formatDuration";
import { visible, plural } from "@/common/text";
import { hasGivenResult, isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { resolvedLines } from "@/node/services/gauntlet/report/plainLines";

const MAX_NAME_WIDTH = 48;

/** Returns the lines above the verdict. None without gates. */
export function summaryLines(result: RunResult, durationMs: number): string[] {
  const { gates } = result;
  if (gates.length === 0) return [];
  const slowest = slowestOf(gates);
  const slow =
    slowest === undefined
      ? ""
      : `; the slowest is ${truncateMiddle(visible(slowest.jobId), MAX_NAME_WIDTH)} (${formatDuration(slowest.durationMs)})`;
  return [
    "",
    ...resolvedLines(result),
    gateCounts(countGates(gates)),
    `Time: ${formatDuration(durationMs)}${slow}`,
  ];
}

/** Counts each gate once, and the files that fixes changed. */
function countGates(gates: readonly GateResult[]): Parameters<typeof gateCounts>[0] {
  const count = (is: (gate: GateResult) => boolean): number => gates.filter(is).length;
  const isCached = ({ cachedSince }: GateResult): boolean => cachedSince !== undefined;
  const isFlaky = ({ flaky }: GateResult): boolean => flaky === true;
  return {
    passed: count((gate) => gate.outcome === "passed" && !isCached(gate) && !isFlaky(gate)),
    failed: count(isFailure),
    known: count(({ outcome }) => outcome === "known"),
    cached: count((gate) => gate.outcome === "passed" && isCached(gate)),
    flaky: count((gate) => gate.outcome === "passed" && isFlaky(gate) && !isCached(gate)),
    withoutFiles: count(({ outcome }) => outcome === "no_files"),
    withoutResult: count(({ outcome }) => outcome === "skipped" || outcome === "cancelled"),
    fixedFiles: new Set(gates.flatMap(({ fixedFiles }) => fixedFiles ?? [])).size,
  };
}

/** Returns undefined if fewer than two gates ran. */
function slowestOf(gates: readonly GateResult[]): GateResult | undefined {
  const ran = gates.filter((gate) => hasGivenResult(gate) && gate.cachedSince === undefined);
  if (ran.length < 2) return undefined;
  return ran.reduce((slowest, gate) => (gate.durationMs > slowest.durationMs ? gate : slowest));
}

/** The numbers of a summary, without those that are 0. */
function gateCounts(counts: {
  readonly passed: number;
  readonly failed: number;
  readonly cached: number;
  /** Checks that have only known failures. */
  readonly known: number;
  readonly flaky: number;
  readonly withoutFiles: number;
  readonly withoutResult: number;
  readonly fixedFiles: number;
}): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.passed, `${counts.passed} passed`],
    [counts.failed, `${counts.failed} failed`],
    [counts.cached, `${counts.cached} cached`],
    [counts.known, `${counts.known} with known failures`],
    [counts.flaky, `${counts.flaky} flaky`],
    [counts.withoutFiles, `${counts.withoutFiles} without files`],
    [counts.withoutResult, `${counts.withoutResult} without a result`],
    [counts.fixedFiles, `${plural(counts.fixedFiles, "file")} fixed`],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return `Gates: ${shown.join(", ")}`;
}
