/**
 * Runs the benchmarks of every `*.bench.ts` in this folder and compares the results with `budgets.json`. Exits with 1 if
 * one is over. Variables:
 *
 * - `BENCH_ONLY`: runs only the files whose name, or the benchmarks an id of which, begins with this text.
 * - `BENCH_JSON`: the file for the results. `.cache/bench/<major version of Node>.json` by default.
 * - `BENCH_NODE`: a second `node`, instead of Node 24 from npm.
 * - `BENCH_MAX_LOAD`: the load below which the benchmarks begin.
 */
import { readdir } from "node:fs/promises";
import type { Benchmark, Context } from "./lib";
import { isOver, rowOf, type Measured } from "./limits";
import { waitUntilIdle } from "./machine";
import { currentNode, majorOf, otherNode, type FetchedNode } from "./nodes";
import { writeResults, versionOf } from "./results";
import { fetchRivals, type Rivals } from "./rivals";

const only = process.env.BENCH_ONLY ?? "";
const path = process.env.BENCH_JSON ?? `.cache/bench/${majorOf(currentNode)}.json`;

async function selected(): Promise<Benchmark[]> {
  const names = await readdir(import.meta.dirname);
  const files = names.filter((name) => name.endsWith(".bench.ts")).sort();
  const found = files.map(async (file) => {
    const { benchmarks } = (await import(`./${file}`)) as { benchmarks: Benchmark[] };
    if (file.startsWith(only)) return benchmarks;
    return benchmarks.filter(({ ids }) => ids.some((id) => id.startsWith(only)));
  });
  return (await Promise.all(found)).flat();
}

async function measure(
  { ids, measure }: Benchmark,
  context: Context,
  name: (id: string) => Pick<Measured, "name" | "major">
): Promise<Measured[]> {
  const figures = [await measure(context)].flat();
  const unknown = figures.find(({ id }) => !ids.includes(id));
  if (unknown !== undefined) throw new Error(`the ids of a benchmark do not list ${unknown.id}`);
  const measured = figures.map((figure) => ({ ...figure, ...name(figure.id) }));
  for (const figure of measured) console.log(rowOf(figure));
  return measured;
}

const benchmarks = await selected();
if (benchmarks.length === 0) throw new Error(`no file or id begins with ${only}`);

let rivals: Rivals | undefined;
let other: FetchedNode | undefined;
const measured: Measured[] = [];
try {
  // Before the wait, because an installation is a load.
  if (benchmarks.some(({ isPerNode }) => isPerNode)) other = await otherNode();
  if (benchmarks.some(({ needsRivals }) => needsRivals)) rivals = await fetchRivals();
  const load = await waitUntilIdle();
  for (const benchmark of benchmarks) {
    const current = { node: currentNode.path, rivals };
    const major = majorOf(currentNode);
    measured.push(...(await measure(benchmark, current, (id) => ({ name: id, major }))));
    if (other === undefined || benchmark.isPerNode !== true) continue;
    const suffix = majorOf(other);
    const named = (id: string) => ({ name: `${id}@${suffix}`, major: suffix });
    measured.push(...(await measure(benchmark, { node: other.path, rivals }, named)));
  }
  const versions = { ...versionOf(other), ...rivals?.versions };
  const keyOf = ({ name }: Measured) => name;
  await writeResults({ path, list: "figures", entries: measured, keyOf, load, versions });
  console.log(`load  ${load.toFixed(2)} at the beginning`);
} finally {
  await other?.remove();
  await rivals?.remove();
}

const over = measured.filter(isOver).length;
if (over > 0) {
  console.log(`${over} over budget`);
  process.exitCode = 1;
}
