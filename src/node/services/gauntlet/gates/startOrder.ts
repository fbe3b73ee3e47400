/** The order in which the jobs of a run start (G41). */
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { CheckHistory } from "@/node/services/gauntlet/gates/CheckHistory";

type Earlier = Pick<CheckHistory, "hasFailed" | "durationOf">;

/**
 * Returns the parallel jobs in the order that is likely to show a failure first: those that failed last, then the
 * shortest. The other jobs stay in the order of the configuration.
 */
export function startOrder(jobs: readonly Job[], history: Earlier): Job[] {
  const parallel = jobs.filter(({ gate }) => gate.parallel);
  const ranked = parallel
    .map(({ id }, index) => ({ index, failed: history.hasFailed(id), ms: history.durationOf(id) }))
    .sort(
      (a, b) => Number(b.failed) - Number(a.failed) || difference(a.ms, b.ms) || a.index - b.index
    );
  return [
    ...ranked.flatMap(({ index }) => parallel[index] ?? []),
    ...jobs.filter(({ gate }) => !gate.parallel),
  ];
}

/** The difference of two infinite durations is not a number. */
function difference(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
