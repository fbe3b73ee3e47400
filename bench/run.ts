/** Runs every `*.bench.ts` beside this file and holds what they find against `budgets.json`; 1 where one is over. */
import { readdir } from "node:fs/promises";
import type { Benchmark, Figure } from "./lib";
import budgets from "./budgets.json" with { type: "json" };

const limits: Readonly<Partial<Record<string, number>>> = budgets;

async function figuresOf(file: string): Promise<Figure[]> {
  const module = (await import(`./${file}`)) as Record<string, Benchmark>;
  const figures: Figure[] = [];
  for (const benchmark of Object.values(module)) figures.push(...[await benchmark()].flat());
  return figures;
}

/** A figure without a budget is over it: what nobody bounded, nobody watches. */
function isOver({ id, value }: Figure): boolean {
  return !(value <= (limits[id] ?? -Infinity));
}

function row(figure: Figure): string {
  const show = (value: number | undefined): string =>
    `${value?.toFixed(figure.unit === "ratio" ? 2 : 1) ?? "none"} ${figure.unit === "ratio" ? "×" : figure.unit}`;
  const measured = `${show(figure.value).padStart(10)}  budget ${show(limits[figure.id]).padStart(10)}`;
  return `${isOver(figure) ? "OVER" : "ok  "}  ${figure.id.padEnd(16)} ${measured}  ${figure.claim}`;
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
