/** The budgets of the figures, and a row of text for each. */
import type { Figure } from "./lib";
import budgets from "./budgets.json" with { type: "json" };

/** The budget, with a margin for the noise of a busy machine, and the goal if it is lower. */
export interface Limit {
  readonly budget: number;
  readonly goal?: number;
}

type Limits = Readonly<Partial<Record<string, number | Limit>>>;

const LIMITS: Limits = budgets;

/**
 * Returns the limit of a figure that was measured with a major version of Node. `id@22` is the limit for Node 22 and
 * newer, and `id` the one for older versions.
 */
export function limitOf(id: string, major: number, limits = LIMITS): Limit | undefined {
  const versions = Object.keys(limits)
    .filter((key) => key.startsWith(`${id}@`))
    .map((key) => Number(key.slice(id.length + 1)))
    .filter((version) => version <= major);
  const limit = limits[versions.length === 0 ? id : `${id}@${Math.max(...versions)}`];
  return typeof limit === "number" ? { budget: limit } : limit;
}

/** A figure with the name and the version of Node that its row shows. */
export interface Measured extends Figure {
  /** For example `nothing-to-do@24`. Figures of the Node that runs the benchmarks have no suffix. */
  readonly name: string;
  readonly major: number;
}

/** Returns whether a figure exceeds its budget. A figure without a budget counts as over, so that each gets one. */
export function isOver({ id, major, value, isInformation }: Measured): boolean {
  return isInformation !== true && !(value <= (limitOf(id, major)?.budget ?? -Infinity));
}

export function rowOf(figure: Measured): string {
  const verdict = isOver(figure) ? "OVER" : figure.isInformation === true ? "info" : "ok  ";
  const parts = [
    verdict,
    figure.name.padEnd(22),
    `${show(figure, figure.value)} ${figure.unit === "ratio" ? "×" : figure.unit}`.padStart(13),
    spread(figure).padEnd(22),
    limitText(figure).padEnd(27),
    `${figure.claim}${sides(figure)}`,
  ];
  return parts.join("  ");
}

/** Returns the quartiles and the number of rounds: `1.21–1.32 of 30`. */
function spread(figure: Figure): string {
  const { p25, p75, rounds } = figure;
  if (p25 === undefined || p75 === undefined) return "";
  return `${show(figure, p25)}–${show(figure, p75)} of ${rounds}`;
}

function limitText(figure: Measured): string {
  const limit = limitOf(figure.id, figure.major);
  if (limit === undefined) return "";
  const budget = `budget ${show(figure, limit.budget)}`;
  return limit.goal === undefined ? budget : `${budget}, goal ${show(figure, limit.goal)}`;
}

function sides({ ms = {} }: Figure): string {
  const texts = Object.entries(ms).map(([name, value]) => `${name} ${value.toPrecision(3)}`);
  return texts.length === 0 ? "" : ` (${texts.join(", ")} ms)`;
}

function show({ unit }: Figure, value: number): string {
  return value.toFixed(unit === "ratio" ? 2 : 1);
}
