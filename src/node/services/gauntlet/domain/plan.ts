/** Jobs: entry point × gate, once each (G10). */
import { scopesOf, type Scope } from "@/node/services/gauntlet/domain/entryPoint";
import type { EntryPoint, GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";

/** A job that may have to run, and the test of which changes concern it. */
export interface Candidate {
  readonly job: Omit<Job, "logName">;
  readonly covers: (file: string) => boolean;
}

function jobId(kind: GateDefinition["kind"], folder: string, gate: string): string {
  return `${kind}:${folder}:${gate}`;
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
    const known = entryPoint.gates.flatMap((gate) => openFolders(gate, openIds));
    for (const scope of scopesOf(entryPoint, changedFiles, known)) {
      for (const gate of entryPoint.gates) addJob(candidates, gate, scope);
    }
  }
  return [...candidates.values()];
}

/** Two entry points may name one folder and gate: one job, which either's changes ask for. */
function addJob(candidates: Map<string, Candidate>, gate: GateDefinition, scope: Scope): void {
  const id = jobId(gate.kind, scope.folder, gate.name);
  const twin = candidates.get(id);
  candidates.set(id, {
    job: { id, entryPoint: scope.folder, gate },
    covers: twin === undefined ? scope.covers : (f) => twin.covers(f) || scope.covers(f),
  });
}

function openFolders(gate: GateDefinition, openIds: readonly string[]): string[] {
  const prefix = `${gate.kind}:`;
  const suffix = `:${gate.name}`;
  return openIds
    .filter((id) => id.startsWith(prefix) && id.endsWith(suffix))
    .map((id) => id.slice(prefix.length, -suffix.length));
}
