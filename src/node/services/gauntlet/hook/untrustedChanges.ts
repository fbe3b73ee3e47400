/**
 * Finds gates that are now defined differently from what the user trusted, finds out whether files changed in the turn
 * or definitions came with commits from elsewhere, and adapts the result of a run of the trusted definitions (G24a).
 */
import type { OldDefinitions, Stop } from "@/node/services/gauntlet/hook/stopDecision";
import { topFolder } from "@/node/services/gauntlet/change/git/gitQueries";
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { shownCommand } from "@/common/ownCommandName";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import type { ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import * as gateTypes from "@/node/services/gauntlet/domain/gate";
import { describeResult } from "@/node/services/gauntlet/domain/stopAudience";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { headCommit } from "@/node/services/gauntlet/turn/readGitFolder";
import type { TurnRecord } from "@/node/services/gauntlet/turn/TurnStore";
import { isMadeHere, lastMoves } from "@/node/services/gauntlet/turn/headMoves";

/** Returns the gates of `before` that `now` changes or removes, or `all` if anything else differs or is not valid. */
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

function nameOf({ kind, name }: Pick<gateTypes.GateDefinition, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/**
 * Returns the result of a run of old definitions. A failure blocks an agent that changed the definition itself, with a
 * text about which one ran. Otherwise the gate is not verified, because the agent cannot fix it.
 */
export function settleOld(
  result: RunResult,
  { gates: changed, byAgent }: OldDefinitions
): RunResult {
  const isOld = (gate: gateTypes.GateResult): boolean =>
    gateTypes.isFailure(gate) &&
    (changed === "all" || changed.has(nameOf({ kind: gate.kind, name: gate.gate })));
  const old = result.gates.filter(isOld);
  if (result.status !== "failed" || old.length === 0) return result;
  if (byAgent) {
    const text =
      "The definition of the turn's beginning ran. A change of it counts after the user trusts it.";
    const gates = result.gates.map((gate) =>
      isOld(gate) ? { ...gate, explanation: gate.explanation ?? { text } } : gate
    );
    return { ...result, gates };
  }
  const { warnings, consoleLogPath } = result;
  const gates = result.gates.map((gate) => (isOld(gate) ? { ...gate, unreachable: true } : gate));
  const errorMessage = `${old.map(({ jobId }) => jobId).join(", ")} failed as you trusted it, but its definition has changed since, so the failure may not be the agent's; run "${shownCommand()} trust" to use the new definition`;
  if (!gates.some(gateTypes.isFixable))
    return createResult("infrastructure_error", { errorMessage, gates, warnings, consoleLogPath });
  const caveat = [errorMessage, result.caveat ?? []].flat().join("; ");
  return { ...result, gates, caveat, message: describeResult("failed", { ...result, gates }) };
}

type TurnPlace = Pick<Stop, "runtime" | "dir"> & { readonly gitDir: string };

const MAX_FILES = 1_000;

/** Returns whether a file or a commit of the project changed in the turn; in doubt, true. */
export async function hasChangedFiles(
  { runtime, dir, gitDir }: TurnPlace,
  turn: TurnRecord
): Promise<boolean> {
  if (turn.head !== undefined && (await headCommit(runtime, gitDir)) !== turn.head) return true;
  const args = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", "-uall"];
  const status = await runGit(runtime, { cwd: dir, args });
  if (status.isErr()) return true;
  const paths = status.value.split("\0").flatMap((line) => line.slice(3) || []);
  const began = turn.at;
  if (began === undefined || paths.length > MAX_FILES) return paths.length > 0;
  const root = (await topFolder(runtime, dir)) ?? dir;
  const stats = await runtime.stat(paths.map((path) => posix.join(root, path)));
  return stats.some((stat) => !("ctimeMs" in stat) || stat.ctimeMs >= Date.parse(began));
}

/**
 * Returns whether the definitions came with commits that were not made in this worktree, such as those of a pull, a
 * switch or a rebase. The agent did not write them.
 */
export async function cameByCommit({ runtime, dir, gitDir }: TurnPlace): Promise<boolean> {
  const git = async (...args: string[]): Promise<string | undefined> =>
    (await runGit(runtime, { cwd: dir, args })).unwrapOr(undefined);
  const status = await git("status", "--porcelain", "-uall", "--", CONFIG_FOLDER);
  if (status !== "") return false;
  const commit = (await git("log", "-1", "--format=%H", "--", CONFIG_FOLDER))?.trim();
  if (commit === undefined || commit === "") return false;
  const moves = (await lastMoves(runtime, gitDir)) ?? [];
  return !moves.some((move) => move.after === commit && isMadeHere(move));
}
