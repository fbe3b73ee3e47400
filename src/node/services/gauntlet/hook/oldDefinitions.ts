/** Gates that run as they were trusted, although the files define them differently now (G24a). */
import { ownCommand } from "@/common/ownCommand";
import { isDeepStrictEqual } from "node:util";
import type { ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import {
  isFailure,
  type GateDefinition,
  type GateResult,
} from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { createResult } from "@/node/services/gauntlet/run/createResult";

export interface OldDefinitions {
  /** Names of the changed gates with their kind (`check:test`), or `all` if the change may concern every gate. */
  readonly gates: ReadonlySet<string> | "all";
  /** Whether the agent changed them in this turn. */
  readonly byAgent: boolean;
}

/** Compares every field of both configurations. */
export function changedDefinitions(before: ConfigLoad, now: ConfigLoad): OldDefinitions["gates"] {
  if (before.kind !== "valid" || now.kind !== "valid") return "all";
  const [old, present] = [before.config, now.config].map((config) => ({
    rest: {
      ...config,
      digest: "",
      entryPoints: config.entryPoints.map((entryPoint) => ({ ...entryPoint, gates: [] })),
    },
    gates: config.entryPoints.flatMap(({ path, gates }) =>
      gates.map(({ source, ...gate }) => ({ path, gate }))
    ),
  }));
  if (old === undefined || present === undefined || !isDeepStrictEqual(old.rest, present.rest)) {
    return "all";
  }
  const isThere = (each: { path: string; gate: object }): boolean =>
    present.gates.some((other) => isDeepStrictEqual(each, other));
  return new Set(old.gates.filter((each) => !isThere(each)).map(({ gate }) => nameOf(gate)));
}

function nameOf({ kind, name }: Pick<GateDefinition, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/**
 * Returns the result of a run of old definitions. A failure blocks an agent that changed the definition itself, and says
 * which one ran. Otherwise the gate is not verified, because the agent cannot fix it.
 */
export function settleOld(
  result: RunResult,
  { gates: changed, byAgent }: OldDefinitions
): RunResult {
  const isOld = ({ kind, gate }: GateResult): boolean =>
    changed === "all" || changed.has(nameOf({ kind, name: gate }));
  if (result.status !== "failed") return result;
  if (byAgent) {
    const explained = (gate: GateResult): GateResult =>
      isFailure(gate) && isOld(gate)
        ? {
            explanation: {
              text: "The definition of the turn's beginning ran. A change of it counts after the user trusts it.",
            },
            ...gate,
          }
        : gate;
    return { ...result, gates: result.gates.map(explained) };
  }
  const failed = result.gates.filter(isFailure);
  if (failed.length === 0 || !failed.every(isOld)) return result;
  const { gates, warnings, consoleLogPath } = result;
  const errorMessage = `${failed.map(({ jobId }) => jobId).join(", ")} failed as you trusted it, but its definition has changed since, so the failure may not be the agent's; run "${ownCommand()} trust" to use the new definition`;
  return createResult("infrastructure_error", { errorMessage, gates, warnings, consoleLogPath });
}
