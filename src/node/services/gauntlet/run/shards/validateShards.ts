/** Why results are not those of all parts of one run, each once. */
import { clip, visible } from "@/common/text";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { SharedRun } from "@/node/services/gauntlet/domain/resultPart";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { PartResult } from "@/node/services/gauntlet/run/shards/parseShardResult";
import { ofPart, partOfJob } from "@/node/services/gauntlet/run/shards/shard";

interface Named {
  readonly source: string;
  readonly result: PartResult;
}

/** In sentences that name the part or where it came from. */
export function partProblems(parts: readonly Named[]): string[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { jobTotal } = first.result.part;
  const others = parts.filter(({ result }) => result.part.jobTotal !== jobTotal);
  const alike = parts.filter(({ result }) => result.part.jobTotal === jobTotal);
  const model = alike.find(({ result }) => result.part.of !== undefined);
  return [
    ...others.map(({ source, result }) => {
      const there = `is part ${result.part.job} of ${result.part.jobTotal}`;
      return `${visible(source)} ${there}, while ${visible(first.source)} is one of ${jobTotal}`;
    }),
    ...doubles(alike),
    ...alike.flatMap((part) => (model === undefined ? [] : differences(part, model))),
    ...alike.flatMap(strayGates),
    ...alike.flatMap(unfoundedPass),
    ...missing(alike, jobTotal, model?.result.part.of),
  ];
}

function doubles(parts: readonly Named[]): string[] {
  const seen = new Map<number, string>();
  return parts.flatMap(({ source, result: { part } }) => {
    const before = seen.get(part.job);
    seen.set(part.job, before ?? source);
    if (before === undefined) return [];
    return [`${visible(source)} is part ${part.job} once more, which ${visible(before)} is`];
  });
}

function differences({ source, result }: Named, model: Named): string[] {
  const [here, there] = [result.part.of, model.result.part.of];
  if (here === undefined || there === undefined) return [];
  const from = `than ${visible(model.source)}`;
  const differ = (what: string, a = "none", b = "none"): string[] =>
    a === b ? [] : [`${visible(source)} ${what} ${from}: ${shown(a)}, not ${shown(b)}`];
  const found = [
    ...differ("looked at other files", here.snapshot, there.snapshot),
    ...differ("compared them with something else", here.base, there.base),
    ...differ("has another configuration", here.config, there.config),
  ];
  if (found.length > 0 || here.jobs.join("\n") === there.jobs.join("\n")) return found;
  return [`${visible(source)} found other jobs ${from}: were both run with the same options?`];
}

/** Jobs that are another part's, and those of this part of which nothing is said. */
function strayGates({ source, result: { part, gates, status } }: Named): string[] {
  const { job, jobTotal, of } = part;
  const ids = new Set(gates.map(({ jobId }) => jobId));
  const stray = [...ids].filter((id) => partOfJob(id, jobTotal) !== job);
  const own = ofPart(
    (of?.jobs ?? []).map((id) => ({ id })),
    part
  );
  const untold = isSuccessStatus(status) ? own.filter(({ id }) => !ids.has(id)) : [];
  return [
    ...stray.map((id) => `${visible(source)} has ${shown(id)}, which is no job of part ${job}`),
    ...untold.map(({ id }) => `${visible(source)} says nothing of ${shown(id)}`),
  ];
}

/** No verdict rests on a pass that says nothing of what passed, or says that it did not. */
function unfoundedPass({ source, result: { part, gates, status } }: Named): string[] {
  if (!isSuccessStatus(status)) return [];
  if (part.of === undefined) return [`${visible(source)} does not say what it looked at`];
  return gates.some(isFailure) ? [`${visible(source)} is ${status}, and has failed gates`] : [];
}

/** A part without a job need not have been run. */
function missing(parts: readonly Named[], jobTotal: number, of: SharedRun | undefined): string[] {
  const there = new Set(parts.map(({ result }) => result.part.job));
  const needed = of?.jobs.map((id) => partOfJob(id, jobTotal));
  const wanted = new Set(needed ?? Array.from({ length: jobTotal }, (_, job) => job));
  return [...wanted]
    .filter((job) => !there.has(job))
    .sort((a, b) => a - b)
    .map((job) => `part ${job} of ${jobTotal} is missing`);
}

function shown(value: string): string {
  return visible(clip(value, MOST_CHARS));
}

const MOST_CHARS = 200;
