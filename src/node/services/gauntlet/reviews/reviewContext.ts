import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { Job, ReviewDefinition } from "@/node/services/gauntlet/domain/gate";
import type { ReviewerPool } from "@/node/services/gauntlet/reviews/ReviewerPool";

/** Which part of the change a gate is about. */
export interface ReviewScope {
  readonly from: string;
  readonly to: string;
  readonly covers: (file: string) => boolean;
  /** The person named what to look at, so what was seen before makes no difference. */
  readonly isNarrowed: boolean;
}

export type ReviewJob = Job & { readonly gate: ReviewDefinition };

/** What the reviews of a run share. */
export interface ReviewContext {
  readonly runtime: HookRuntime;
  readonly git: GitContext;
  readonly config: GauntletConfig;
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly logDir: string;
  /** The run's number, for the names of its files. */
  readonly run: number;
  /** Which run of the episode it is, from 1. */
  readonly iteration: number;
  /** The working tree as it is now. */
  readonly snapshot: string;
  /** A partial run closes nothing: what it verifies is verified again (G20a). */
  readonly isFullRun: boolean;
  readonly scopeOf: (jobId: string) => ReviewScope;
  readonly pool: ReviewerPool;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly emit: RunListener;
  /** A warning for the person and the agent. */
  readonly warn: (text: string) => void;
}
