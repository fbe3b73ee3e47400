import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isCi, type BaseOptions } from "@/node/services/gauntlet/change/git/baseBranch";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";
import type { Shard } from "@/node/services/gauntlet/run/shards/shard";

/** What to look at, where it is not everything since the base (G7). */
export type RunScope =
  | { readonly kind: "commit"; readonly commit: string }
  | { readonly kind: "uncommitted" };

export interface RunOptions {
  readonly runtime: HookRuntime;
  /** Absolute: the folder that holds `.gauntlet/`. */
  readonly projectDir: string;
  /** The listener hears nothing; log files are written all the same (G1). */
  readonly silent?: boolean;
  readonly listener?: RunListener;
  /** Ends the run: processes gone, lock released, state written (G28). */
  readonly signal?: AbortSignal;
  /** Milliseconds for the run as a whole; absent: none. */
  readonly limitMs?: number;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly now?: () => Date;
  /** As it was when the turn began (G24a); absent, it is loaded here. */
  readonly config?: GauntletConfig;
  /** Why the configuration that stands there now cannot be used: then that is a failed gate (G20a). */
  readonly configProblem?: string;
  /** The stop that the run is for, with the failed ones before it (G19); absent for a run by hand. */
  readonly stop?: StopCount;
  /** Whether a person trusted the configuration, so that an open gate that it no longer defines is closed (G18a). */
  readonly isTrusted?: boolean;
  /** Every gate on everything, changed or not (G20d). */
  readonly all?: boolean;
  /** The gates that are due, although nothing changed since they passed (G20d). */
  readonly force?: boolean;
  /** Instead of `base_branch`, and of a pull request's base. */
  readonly baseBranch?: string;
  readonly scope?: RunScope;
  /** Names of gates; others do not run, and the run is partial (G19a). */
  readonly gates?: readonly string[];
  /** Gates of this kind alone; partial where a plain run has others as well (G19a). */
  readonly kind?: GateDefinition["kind"];
  /**
   * The jobs of this part alone; the run is partial (G19a). What this machine remembers of earlier runs selects none, for
   * then the parts of several machines would not add up.
   */
  readonly shard?: Shard;
  /** False runs every check, whatever has passed before (G21). */
  readonly useCache?: boolean;
}

/** How long git may take for what follows the gates of a run with a time limit (G27c). */
export const CLOSING_MS = 8_000;

/** Compared as a plain `run` at somebody's desk is: what it finds in order, a later one may build on (G7a). */
export function isDefaultRun(
  { baseBranch, ...options }: RunOptions,
  env: BaseOptions["env"]
): boolean {
  return baseBranch === undefined && !isCi(env) && isFullRun(options);
}

/** With a flag, in CI and for a part every comparison starts at the base (G7a). */
export function usableBaselines<T extends object>(
  {
    baseBranch,
    scope,
    shard,
    all,
    force,
  }: Pick<RunOptions, "baseBranch" | "scope" | "shard" | "all" | "force">,
  env: BaseOptions["env"],
  baselines: T
): T | Record<string, never> {
  const isAsked = [baseBranch, scope, shard].some((narrowing) => narrowing !== undefined);
  return isAsked || all === true || force === true || isCi(env) ? {} : baselines;
}

/** Whether it has every job of a plain run (G19a). */
export function isFullRun({
  scope,
  gates,
  kind,
  shard,
}: Pick<RunOptions, "scope" | "gates" | "kind" | "shard">): boolean {
  return [scope, gates, kind, shard].every((narrowing) => narrowing === undefined);
}
