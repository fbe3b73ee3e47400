/** Runs every `*.bench.ts` in this folder and compares the results with `budgets.json`. Exits with 1 if one is over. */
import { readdir } from "node:fs/promises";
import type { Benchmark, Figure } from "./lib";
import budgets from "./budgets.json" with { type: "json" };

/** The budget, with a margin for the noise of a busy machine, and the goal if it is lower. */
interface Limit {
  readonly budget: number;
  readonly goal?: number;
}

const limits: Readonly<Partial<Record<string, number | Limit>>> = budgets;

function limitOf({ id }: Figure): Partial<Limit> {
  const limit = limits[id];
  return typeof limit === "number" ? { budget: limit } : (limit ?? {});
}

async function figuresOf(file: string): Promise<Figure[]> {
  const module = (await import(`./${file}`)) as Record<string, Benchmark>;
  const figures: Figure[] = [];
  for (const benchmark of Object.values(module)) figures.push(...[await benchmark()].flat());
  return figures;
}

/** Returns whether a figure exceeds its budget. A figure without a budget counts as over, so that each gets one. */
function isOver(figure: Figure): boolean {
  return !(figure.value <= (limitOf(figure).budget ?? -Infinity));
}

function row(figure: Figure): string {
  const { budget, goal } = limitOf(figure);
  const show = (value: number | undefined): string =>
    `${value?.toFixed(figure.unit === "ratio" ? 2 : 1) ?? "none"} ${figure.unit === "ratio" ? "×" : figure.unit}`;
  const limit = goal === undefined ? show(budget) : `${show(budget)}, goal ${show(goal)}`;
  const measured = `${show(figure.value).padStart(13)}  budget ${limit.padEnd(21)}`;
  return `${isOver(figure) ? "OVER" : "ok  "}  ${figure.id.padEnd(19)} ${measured}  ${figure.claim}`;
}

const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".bench.ts"));
let over = 0;
for (const file of files.sort()) {
  for (const figure of await figuresOf(file)) {
    console.log(row(figure));
    if (isOver(figure)) over++;
  }
}
if (over > 0) {
  console.log(`${over} over budget`);
  process.exitCode = 1;
}
