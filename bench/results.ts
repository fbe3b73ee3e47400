/** The JSON files of results. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describeMachine } from "./machine";
import { currentNode, type NodeProgram } from "./nodes";

interface Results {
  readonly machine: Readonly<Record<string, number | string>>;
  readonly [list: string]: unknown;
}

interface Written<T> {
  readonly path: string;
  /** The name of the list in the file. */
  readonly list: string;
  readonly entries: readonly T[];
  /** Identifies an entry. */
  readonly keyOf: (entry: T) => string;
  /** The load of the machine. The file keeps the highest one of its parts. */
  readonly load: number;
  /** The other programs that were measured, with their versions. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Writes the entries and a description of the machine. If only a part of the benchmarks ran (`BENCH_ONLY`), it replaces
 * the entries with the same key in the file and keeps the others.
 */
export async function writeResults<T>({
  path,
  list,
  entries,
  keyOf,
  load,
  versions,
}: Written<T>): Promise<void> {
  const before = process.env.BENCH_ONLY === undefined ? undefined : await readResults(path);
  const byKey = new Map<string, T>();
  for (const entry of (before?.[list] ?? []) as T[]) byKey.set(keyOf(entry), entry);
  for (const entry of entries) byKey.set(keyOf(entry), entry);
  const machine = {
    ...before?.machine,
    ...describeMachine(),
    node: currentNode.version,
    load: Math.max(load, Number(before?.machine.load ?? 0)),
    ...versions,
  };
  await mkdir(dirname(path), { recursive: true });
  const text = JSON.stringify({ machine, [list]: [...byKey.values()] }, rounded, 2);
  await writeFile(path, `${text}\n`);
  console.log(`wrote ${path}`);
}

export function versionOf(node: NodeProgram | undefined): Record<string, string> {
  return node === undefined ? {} : { otherNode: node.version };
}

async function readResults(path: string): Promise<Results | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Results;
  } catch {
    return undefined;
  }
}

/** Keeps four digits: more would be noise. */
function rounded(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  return Number(value.toPrecision(4));
}
