/**
 * Measures how durations grow, and writes `docs/performance/growth.json`. `BENCH_ONLY=files-1000` measures only this
 * point, `BENCH_ONLY=files` all points of a plot, and the others of the file are kept. The repositories are in memory
 * (`/dev/shm`) if there is room, so that the figures do not depend on the disk.
 */
import { statfs } from "node:fs/promises";
import { inTurns, type Sample } from "../lib";
import { waitUntilIdle } from "../machine";
import { currentNode } from "../nodes";
import { writeResults } from "../results";
import { fetchRivals, type Rivals } from "../rivals";
import { points, type Point } from "./points";

const path = process.env.BENCH_JSON ?? "docs/performance/growth.json";
const MEMORY_FOLDER = "/dev/shm";
/** A million files of one page each, with git's own data. */
const NEEDED_BYTES = 8 * 2 ** 30;

/** The durations of one side, in milliseconds. */
type Duration = Omit<Sample, "rounds">;

interface Measured {
  readonly plot: string;
  readonly x: number;
  readonly rounds: number;
  readonly ms: Readonly<Record<string, Duration>>;
}

const idOf = ({ plot, x }: Pick<Point, "plot" | "x">): string => `${plot}-${x}`;

async function useMemory(): Promise<void> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    if (bavail * bsize >= NEEDED_BYTES) process.env.TMPDIR = MEMORY_FOLDER;
  } catch {
    // Other systems have no such folder, and use the one for temporary files.
  }
}

async function measure(point: Point, rivals: Rivals | undefined): Promise<Measured[]> {
  const prepared = await point.prepare({ node: currentNode.path, rivals });
  if (prepared === undefined) return [];
  const { sides, before } = prepared;
  try {
    const turns = await inTurns(sides, point.rounds, before);
    const durations = Object.keys(sides).map((side) => {
      const { rounds: _, ...duration } = turns.each((ms) => ms[side] ?? NaN);
      return [side, duration] as const;
    });
    const texts = durations.map(([side, { value, p25, p75 }]) => {
      return `${side} ${value.toFixed(1)} ms (${p25.toFixed(1)}–${p75.toFixed(1)})`;
    });
    console.log(`${idOf(point).padEnd(15)}  ${texts.join(", ")}`);
    const { plot, x, rounds } = point;
    return [{ plot, x, rounds, ms: Object.fromEntries(durations) }];
  } finally {
    await prepared.remove();
  }
}

await useMemory();
const only = process.env.BENCH_ONLY ?? "";
const selected = points.filter((point) => ["", point.plot, idOf(point)].includes(only));
if (selected.length === 0) throw new Error(`no plot or point is named ${only}`);
const rivals = selected.some(({ plot }) => plot === "checks") ? await fetchRivals() : undefined;
try {
  const load = await waitUntilIdle();
  const entries: Measured[] = [];
  for (const point of selected) entries.push(...(await measure(point, rivals)));
  const versions = rivals?.versions ?? {};
  const keyOf = ({ plot, x }: Measured) => `${plot}-${x}`;
  await writeResults({ path, list: "points", entries, keyOf, load, versions });
} finally {
  await rivals?.remove();
}
