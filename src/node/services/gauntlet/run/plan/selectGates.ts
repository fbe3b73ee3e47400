/** Selects the gates of a configuration that a run may have, before changes are detected. */
import { err, ok, type Result } from "neverthrow";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { isCi } from "@/common/isCi";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

export interface SelectedGates {
  /** Every entry point, with the gates that may run. */
  readonly entryPoints: readonly EntryPoint[];
  /** Gates that do not run in this environment: those for CI only, for local runs only, or skipped by a person. */
  readonly skippedInThisEnv: readonly GateDefinition[];
}

/** Selects the gates. If a name matches no gate, the error lists the existing names (G30b). */
export function selectGates(
  { entryPoints }: GauntletConfig,
  { gates, kind, skip, stop }: Pick<RunOptions, "gates" | "kind" | "skip" | "stop">,
  env: Readonly<NodeJS.ProcessEnv>
): Result<SelectedGates, string> {
  const known = entryPoints.flatMap((point) => point.gates).filter((gate) => isOfKind(gate, kind));
  const asked = [...(gates ?? []), ...(stop === undefined ? (skip?.names ?? []) : [])];
  const unknownName = asked.find((name) => known.every((gate) => gate.name !== name));
  if (unknownName !== undefined) {
    const names = [...new Set(known.map((gate) => gate.name))].join(", ") || "none";
    return err(`there is no ${kind ?? "gate"} named "${unknownName}"; defined are: ${names}`);
  }
  const ci = isCi(env);
  const runsHere = (gate: GateDefinition): boolean =>
    (ci ? gate.runInCi : gate.runLocally) && skip?.names.includes(gate.name) !== true;
  const isWanted = (gate: GateDefinition): boolean =>
    isEnabled(gate) &&
    isOfKind(gate, kind) &&
    runsHere(gate) &&
    (gates?.includes(gate.name) ?? true);
  return ok({
    entryPoints: entryPoints.map((point) => ({ ...point, gates: point.gates.filter(isWanted) })),
    skippedInThisEnv: known.filter((gate) => !runsHere(gate)),
  });
}

/** Drops a kind that excludes no gate of a plain run, so that the run is not partial (G19a). */
export function normalizeKind(options: RunOptions, { entryPoints }: GauntletConfig): RunOptions {
  const { kind, ...rest } = options;
  const plain = entryPoints.flatMap(({ gates }) => gates).filter(isEnabled);
  return plain.every((gate) => isOfKind(gate, kind)) ? rest : options;
}

function isEnabled(gate: GateDefinition): boolean {
  return gate.kind === "check" || gate.enabled;
}

function isOfKind(gate: GateDefinition, kind: GateDefinition["kind"] | undefined): boolean {
  return kind === undefined || gate.kind === kind;
}
