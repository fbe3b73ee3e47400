import type { Runtime } from "@/node/runtime/Runtime";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunListener } from "@/node/services/gauntlet/domain/events";

/** What to look at, where it is not everything since the base (G7). */
export type RunScope =
  { readonly kind: "commit"; readonly commit: string } | { readonly kind: "uncommitted" };

export interface RunOptions {
  readonly runtime: Runtime;
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
  /** Instead of `base_branch`. */
  readonly baseBranch?: string;
  readonly scope?: RunScope;
  /** Names of gates; others do not run, and the run is partial (G19a). */
  readonly gates?: readonly string[];
  /** False runs every check, whatever has passed before (G21). */
  readonly useCache?: boolean;
}

/** A job of CI runs only what `run_in_ci` allows, and compares with the pull request's base (G7a). */
export function isCi(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return [env.CI, env.GITHUB_ACTIONS].some((value) => Boolean(value) && value !== "false");
}

/** Whether it has every job of a plain run (G19a). */
export function isWhole({ scope, gates }: Pick<RunOptions, "scope" | "gates">): boolean {
  return scope === undefined && gates === undefined;
}
