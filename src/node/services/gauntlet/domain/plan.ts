/** Jobs: entry point × gate, once each (G10). */
import { scopesOf, type Scope } from "@/node/services/gauntlet/domain/entryPoint";
import type { EntryPoint, GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { folderOfJob, jobId } from "@/node/services/gauntlet/domain/jobId";

/** A job that may have to run, and the test of which changes concern it. */
export interface Candidate {
  readonly job: Omit<Job, "logName">;
  readonly covers: (file: string) => boolean;
}

/**
 * Every job that these changes, or what is open, could ask for, in configured order. `openIds` brings back the
 * folders of jobs that nothing changed in since they failed.
 */
export function planCandidates(
  entryPoints: readonly EntryPoint[],
  changedFiles: readonly string[],
  openIds: readonly string[]
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const entryPoint of entryPoints) {
    const known = entryPoint.gates.flatMap((gate) =>
      openIds.flatMap((id) => folderOfJob(id, gate) ?? [])
    );
    for (const scope of scopesOf(entryPoint, changedFiles, known)) {
      for (const gate of entryPoint.gates) addJob(candidates, gate, scope);
    }
  }
  return [...candidates.values()];
}

/**
 * Two entry points may name one folder and gate: one job, which either's changes ask for. Two gates that only share
 * their name are two jobs.
 */
function addJob(
  candidates: Map<string, Candidate>,
  gate: GateDefinition,
  { folder, covers }: Scope
): void {
  for (let nth = 1; ; nth++) {
    const id = jobId(gate, folder, nth);
    const twin = candidates.get(id);
    if (twin !== undefined && !isSameGate(twin.job.gate, gate)) continue;
    candidates.set(id, {
      job: { id, entryPoint: folder, gate },
      covers: twin === undefined ? covers : (file) => twin.covers(file) || covers(file),
    });
    return;
  }
}

/** Wherever they are defined. */
function isSameGate(a: GateDefinition, b: GateDefinition): boolean {
  return definitionText(a) === definitionText(b);
}

/** All that a gate is, but for where that stands. */
export function definitionText({ source, ...definition }: GateDefinition): string {
  return JSON.stringify(definition);
}
