/**
 * Defines the options of a run, and derives from them its gates, the earlier passes that it may build on (baselines),
 * and whether it compares with the same commit and runs the same jobs as a run without options (G7a, G19a).
 */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isCi } from "@/common/isCi";
import type { BaseOptions } from "@/node/services/gauntlet/change/git/baseCandidates";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { RunListener } from "@/node/services/gauntlet/domain/runResult";
import type { StopCount } from "@/node/services/gauntlet/turn/StopHistory";
import { err, ok, type Result } from "neverthrow";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";

/** The changes to look at, if not everything since the base (G7). */
export type RunScope =
  | { readonly kind: "commit"; readonly commit: string }
  | { readonly kind: "uncommitted" };

export interface SkippedGates {
  readonly names: readonly string[];
  /** As in `until 2026-01-01T10:00:00Z`. */
  readonly why: string;
}

/** One of several shards that run separately and are merged afterwards. */
export interface Shard {
  /** Zero-based. */
  readonly job: number;
  /** Number of shards. */
  readonly jobTotal: number;
}

export interface RunOptions {
  readonly runtime: HookRuntime;
  /** Absolute: the folder that contains `.gauntlet/`. */
  readonly projectDir: string;
  /** The listener receives no events. Log files are still written (G1). */
  readonly silent?: boolean;
  readonly listener?: RunListener;
  /** Ends the run: ends its processes, releases the lock, writes the state (G28). */
  readonly signal?: AbortSignal;
  /** Time limit of the whole run in milliseconds. Unlimited if absent. */
  readonly limitMs?: number;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly now?: () => Date;
  /** Absolute. If absent, the run finds it (G15). */
  readonly logDir?: string;
  /** The configuration as of the start of the turn (G24a). If absent, the run loads it. @internal */
  readonly config?: GauntletConfig;
  /** Why the current configuration cannot be used. It becomes a failed gate (G20a). @internal */
  readonly configProblem?: string;
  /** The stop that the run is for, with the count of failed ones before it (G19). Absent: by hand. @internal */
  readonly stop?: StopCount;
  /** Whether a user trusted the configuration. Then unresolved gates that it no longer has close (G18a). @internal */
  readonly isTrusted?: boolean;
  /** Runs every gate on everything, changed or not (G20d). */
  readonly all?: boolean;
  /** Runs the gates that apply even if no file changed since they passed (G20d). */
  readonly force?: boolean;
  /** Runs the fixes of the checks that are due before the gates (G35). */
  readonly fix?: boolean;
  /** The commits of a push that waits for this run. If it fails, the next stop checks for them (G51). @internal */
  readonly pushing?: readonly string[];
  /** Replaces `base_branch` and a pull request's base. */
  readonly baseBranch?: string;
  readonly scope?: RunScope;
  /** Names of the only gates to run. The run is partial (G19a). */
  readonly gates?: readonly string[];
  /** Runs only gates of this kind. The run is partial if a plain run has other gates as well (G19a). */
  readonly kind?: "check" | "review";
  /**
   * Runs only the jobs of this shard; the run is partial (G19a). This machine's state of earlier runs selects no jobs,
   * because the shards of several machines would not add up.
   *
   * @internal
   */
  readonly shard?: Shard;
  /** Gates that do not run, and why. A run by hand is partial, and the tree counts as not passed (G42). @internal */
  readonly skip?: SkippedGates;
  /** If false, runs every check even if it has passed before (G21). */
  readonly useCache?: boolean;
}

/** Time limit in milliseconds for the git calls after the gates, in a run with a time limit (G27c). */
export const CLOSING_MS = 8_000;

/** Returns true if the run compares like a plain local `run`. Later runs may build on what it verified (G7a). */
export function isDefaultRun(options: RunOptions, env: BaseOptions["env"]): boolean {
  return options.baseBranch === undefined && !isCi(env) && isFullRun(options);
}

/**
 * Returns the baselines, or none in CI and with `-b`, `-c`, `-u`, `--job`, `--all` or `--force`. With `--no-cache`,
 * only those of reviews (G7a).
 */
export function usableBaselines<T>(
  { baseBranch, scope, shard, all, force, useCache }: Partial<RunOptions>,
  env: BaseOptions["env"],
  baselines: Readonly<Record<string, T>>
): Readonly<Record<string, T>> {
  const isAsked = [baseBranch, scope, shard].some((narrowing) => narrowing !== undefined);
  if (isAsked || all === true || force === true || isCi(env)) return {};
  if (useCache !== false) return baselines;
  return Object.fromEntries(Object.entries(baselines).filter(([id]) => id.startsWith("review:")));
}

/** Returns true if a run by hand compares with something else than a stop would (G19a). */
export function comparesOtherwise({ baseBranch, scope, all, stop }: RunOptions): boolean {
  return stop === undefined && (baseBranch !== undefined || scope !== undefined || all === true);
}

/** Returns true if the run has every job of a plain run (G19a). */
export function isFullRun(options: Partial<RunOptions>): boolean {
  const { scope, gates, kind, shard, skip, stop } = options;
  // At a stop, a skipped gate is like one that does not run on this machine.
  return [scope, gates, kind, shard, stop === undefined ? skip : undefined].every(
    (narrowing) => narrowing === undefined
  );
}

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
