/** The points of the curves: how the durations grow with the number of checks, files and changed files. */
import { edit, gitStatus, Watched } from "../changeDetection";
import { programs, stagedEdits, withChecks } from "../checks";
import type { Context } from "../lib";
import { Repository } from "../repositories";

/** A measurement that is ready to start. */
interface Prepared {
  readonly sides: Readonly<Record<string, () => Promise<unknown>>>;
  readonly before?: (side: string) => Promise<unknown>;
  remove(): Promise<void>;
}

export interface Point {
  /** The curves that it belongs to. */
  readonly plot: "checks" | "files" | "changed";
  /** The number of checks, files or changed files. */
  readonly x: number;
  readonly rounds: number;
  readonly prepare: (context: Context) => Promise<Prepared | undefined>;
}

/** How many rounds are measured at each number. A round of the largest numbers takes seconds. */
const CHECKS = { 1: 30, 4: 30, 16: 30, 64: 15, 256: 7 };
const FILES = { 1_000: 30, 10_000: 30, 100_000: 10, 1_000_000: 5 };
const CHANGED = { 1: 30, 10: 30, 100: 30, 1_000: 15, 10_000: 5 };

export const points: Point[] = [
  ...pointsOf("checks", CHECKS, checks),
  ...pointsOf("files", FILES, files),
  ...pointsOf("changed", CHANGED, changed),
];

function pointsOf(
  plot: Point["plot"],
  rounds: Readonly<Record<string, number>>,
  prepare: (x: number, context: Context) => Promise<Prepared | undefined>
): Point[] {
  return Object.entries(rounds).map(([key, rounds]) => {
    const x = Number(key);
    return { plot, x, rounds, prepare: (context) => prepare(x, context) };
  });
}

async function checks(count: number, { node, rivals }: Context): Promise<Prepared | undefined> {
  if (rivals === undefined) return undefined;
  const repository = await withChecks(count, "true");
  return {
    sides: programs(repository, node, rivals),
    before: stagedEdits(repository),
    remove: () => repository.remove(),
  };
}

async function files(count: number): Promise<Prepared> {
  const repository = await Repository.create(count);
  await edit(repository, 3);
  const watched = await Watched.create(repository);
  return {
    sides: {
      "git status": () => gitStatus(repository),
      "change detection": () => watched.look(),
    },
    remove: () => repository.remove(),
  };
}

async function changed(count: number): Promise<Prepared> {
  const repository = await Repository.create(10_000);
  await edit(repository, count);
  const watched = await Watched.create(repository);
  let edits = 1;
  return {
    sides: {
      "git status": () => gitStatus(repository),
      "edited since the last run": () => watched.look(),
      "edited before the last run": () => watched.look(),
    },
    before: async (side) => {
      if (side === "edited before the last run") await watched.look();
      await watched.keep();
      if (side === "edited since the last run") await edit(repository, count, edits++);
    },
    remove: () => repository.remove(),
  };
}
