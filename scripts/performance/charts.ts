/** The charts of the page, made from `docs/performance/growth.json`. */
import { drawChart, type Chart } from "./chart";
import type { Growth } from "./results";

type Plan = Omit<Chart, "curves"> & { readonly sides: readonly string[] };

/** The plots by the names of their files, each with its curves in the order of their colors. */
export const PLANS: Readonly<Record<string, Plan>> = {
  checks: {
    title: "A run with trivial checks",
    xLabel: "checks",
    yLabel: "duration of a run (ms)",
    sides: ["ours", "lefthook", "lint-staged", "pre-commit"],
  },
  files: {
    title: "Change detection and git status, three files changed",
    xLabel: "files",
    yLabel: "duration (ms)",
    sides: ["change detection", "git status"],
  },
  changed: {
    title: "Change detection and git status, 10,000 files",
    xLabel: "changed files",
    yLabel: "duration (ms)",
    sides: ["edited since the last run", "git status", "edited before the last run"],
  },
};

/** Names that differ from those in the results. */
const NAMES: Readonly<Record<string, string>> = { ours: "agent-gauntlet" };

export function nameOf(side: string): string {
  return NAMES[side] ?? side;
}

/** Returns the text of each SVG file by its name. */
export function drawCharts(growth: Growth): Map<string, string> {
  const files = Object.entries(PLANS).map(([plot, { sides, ...labels }]) => {
    const points = growth.points.filter((point) => point.plot === plot);
    const sorted = points.sort((a, b) => a.x - b.x);
    const curves = sides.map((side) => ({
      name: nameOf(side),
      points: sorted.flatMap(({ x, ms }) => {
        const duration = ms[side];
        if (duration === undefined) return [];
        return [{ x, y: duration.value, low: duration.p25, high: duration.p75 }];
      }),
    }));
    const drawn = curves.filter(({ points }) => points.length > 0);
    return [`${plot}.svg`, drawChart({ ...labels, curves: drawn })] as const;
  });
  return new Map(files);
}
