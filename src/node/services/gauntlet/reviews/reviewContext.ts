import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { Job, ReviewDefinition } from "@/node/services/gauntlet/domain/gate";
import type { ReviewerPool } from "@/node/services/gauntlet/reviews/ReviewerPool";

/** The part of the change that a gate covers. */
export interface ReviewScope {
  readonly from: string;
  readonly to: string;
  readonly covers: (file: string) => boolean;
  /** Whether the user selected what to review. Earlier answers then make no difference. */
  readonly isNarrowed: boolean;
}

export type ReviewJob = Job & { readonly gate: ReviewDefinition };

/** The context that the reviews of a run share. */
export interface ReviewContext {
  readonly runtime: HookRuntime;
  readonly git: GitContext;
  readonly config: GauntletConfig;
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly logDir: string;
  /** The number of the run, for the names of its files. */
  readonly run: number;
  /** The index of the run in its episode, from 1. */
  readonly iteration: number;
  /** The current working tree. */
  readonly snapshot: string;
  /** False for a partial run, which closes nothing: its verified fixes are verified again (G20a). */
  readonly isFullRun: boolean;
  readonly scope: ReviewScope;
  readonly pool: ReviewerPool;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly emit: RunListener;
  /** Counts a call of a reviewer, with the tokens that it reports, or 0. */
  readonly noteCall: (reviewer: string, tokens: number) => void;
  /** Warns the user and the agent. */
  readonly reporter: { warn(text: string): void };
}
