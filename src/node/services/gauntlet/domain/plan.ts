/** Plans jobs: entry point × gate, once each (G10). */
import { sha256 } from "@/common/hash";
import { scopesOf, type Scope } from "@/node/services/gauntlet/domain/entryPoint";
import type { Dependencies } from "@/node/services/gauntlet/domain/dependencies";
import type { EntryPoint, GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { folderOfJob, jobId } from "@/node/services/gauntlet/domain/jobId";

/** A job that may have to run, and a predicate for the changes that concern it. */
export interface Candidate {
  readonly job: Omit<Job, "logName">;
  readonly covers: (file: string) => boolean;
  /** Like `covers`, but only for the entry point's own files, which a command may get (G34). */
  readonly owns: (file: string) => boolean;
}

/** A change to a file on which all folders depend (`global_dependencies`). */
export interface GlobalChange {
  readonly isGlobal: (file: string) => boolean;
  /** Every file and link of the project. */
  readonly files: readonly string[];
  /** Every folder of the project. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Returns every job that these changes or the unresolved gates may require, in configured order. `openIds` adds the
 * folders of jobs in which nothing changed since they failed, `globalChange` all folders, and `dependencies` those that
 * depend on a change.
 */
export function planCandidates(
  entryPoints: readonly EntryPoint[],
  changedFiles: readonly string[],
  openIds: readonly string[],
  globalChange?: GlobalChange,
  dependencies?: Dependencies
): Candidate[] {
  const isGlobal = globalChange?.isGlobal ?? (() => false);
  const candidates = new Map<string, Candidate>();
  for (const entryPoint of entryPoints) {
    const known = entryPoint.gates.flatMap((gate) =>
      openIds.flatMap((id) => folderOfJob(id, gate) ?? [])
    );
    const others = dependencies?.changesFor(entryPoint);
    const folders = [...known, ...(globalChange?.folders ?? []), ...(others?.keys() ?? [])];
    for (const { folder, covers } of scopesOf(entryPoint, changedFiles, folders)) {
      const scope = {
        folder,
        covers: (file: string) =>
          covers(file) || isGlobal(file) || others?.get(folder)?.has(file) === true,
        owns: covers,
      };
      for (const gate of entryPoint.gates) addJob(candidates, gate, scope);
    }
  }
  return [...candidates.values()];
}

/**
 * Adds a job. Two entry points with the same folder and gate share one job, which runs if files of either change. Two
 * gates that share only their name are two jobs.
 */
function addJob(
  candidates: Map<string, Candidate>,
  gate: GateDefinition,
  { folder, covers, owns }: Scope & Pick<Candidate, "owns">
): void {
  for (let nth = 1; ; nth++) {
    const id = jobId(gate, folder, nth);
    const twin = candidates.get(id);
    if (twin !== undefined && definitionText(twin.job.gate) !== definitionText(gate)) continue;
    candidates.set(id, {
      job: { id, entryPoint: folder, gate },
      covers: twin === undefined ? covers : (file) => twin.covers(file) || covers(file),
      owns: twin === undefined ? owns : (file) => twin.owns(file) || owns(file),
    });
    return;
  }
}

/** Returns everything about a gate except the position of its definition. */
function definitionText({ source, ...definition }: GateDefinition): string {
  return JSON.stringify(definition);
}

/** Returns a digest of the definition: a pass with another digest does not count. Its location makes no difference. */
export function definitionOf(gate: GateDefinition): string {
  return sha256(definitionText(gate), 32);
}
