/**
 * Orders the available reviewers for each slot of a run's reviews: by preference, each slot beginning with another one,
 * and those last that gave no answer in the last 30 minutes, which is their cooldown (G13). Also defines the context
 * that the reviews of a run share.
 */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { ReviewDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { findHealthy } from "@/node/services/gauntlet/reviews/invokeReviewer";
import * as programs from "@/node/services/gauntlet/reviews/reviewers";
import type { DiffRange } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { RunListener } from "@/node/services/gauntlet/domain/runResult";

/** The cooldown of a reviewer that timed out or cannot answer, for example because of its rate limit. */
const COOLDOWN_MS = 30 * 60_000;

type PoolPlace = Pick<ReviewContext, "runtime" | "projectDir" | "config" | "now">;

/** The available reviewers of a run. */
export class ReviewerPool {
  readonly #cooldown: Map<string, string>;
  #healthy: Promise<ReadonlyMap<string, boolean>> | undefined;

  /** @param cooldown the end of each cooldown in ISO 8601, by reviewer */
  constructor(
    private readonly options: PoolPlace,
    cooldown: Readonly<Record<string, string>>
  ) {
    this.#cooldown = new Map(Object.entries(cooldown));
  }

  /** The cooldowns that have not ended, for the next run. */
  get cooldown(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#cooldown].filter(([name]) => this.#isOnCooldown(name)));
  }

  /**
   * Returns a gate's reviewers in the order in which a slot tries them: by preference, each slot beginning with another
   * one. Those on cooldown come last: they are better than none.
   */
  async candidates(gate: ReviewDefinition, slot: number): Promise<readonly programs.Reviewer[]> {
    const { cli } = this.options.config;
    const preferred = gate.cliPreference ?? cli.defaultPreference;
    const names = preferred.length > 0 ? preferred : this.#allNames;
    const healthy = await this.#findHealthy();
    const available = [...new Set(names)].filter((name) => healthy.get(name) === true);
    const ready = available.filter((name) => !this.#isOnCooldown(name));
    const first = ready.length === 0 ? 0 : (slot - 1) % ready.length;
    const ordered = new Set([...ready.slice(first), ...ready.slice(0, first), ...available]);
    return [...ordered].flatMap((name) => programs.reviewerFor(name, cli.commands) ?? []);
  }

  startCooldown({ name }: programs.Reviewer): void {
    const until = new Date(this.options.now().getTime() + COOLDOWN_MS);
    this.#cooldown.set(name, until.toISOString());
  }

  #isOnCooldown(name: string): boolean {
    const until = Date.parse(this.#cooldown.get(name) ?? "");
    const now = this.options.now().getTime();
    // A time beyond the longest cooldown was set by a wrong clock.
    return until > now && until <= now + COOLDOWN_MS;
  }

  get #allNames(): readonly string[] {
    return [...Object.keys(this.options.config.cli.commands), ...programs.REVIEWER_NAMES];
  }

  /** Checks once per run which reviewers are available. */
  #findHealthy(): Promise<ReadonlyMap<string, boolean>> {
    const { runtime, projectDir, config } = this.options;
    const preferred = config.entryPoints.flatMap(({ gates }) =>
      gates.flatMap((gate) => (gate.kind === "review" ? (gate.cliPreference ?? []) : []))
    );
    const names = new Set([...preferred, ...config.cli.defaultPreference, ...this.#allNames]);
    const reviewers = [...names].flatMap(
      (name) => programs.reviewerFor(name, config.cli.commands) ?? []
    );
    return (this.#healthy ??= findHealthy(runtime, reviewers, projectDir));
  }
}

/** The part of the change that a gate covers. */
export interface ReviewScope extends DiffRange {
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
  /** Aborted by the caller, or by the time limit of the run. */
  readonly signal?: AbortSignal;
  /** The caller's own signal, and the time limit. */
  readonly options: { readonly signal?: AbortSignal; readonly limitMs?: number };
  readonly emit: RunListener;
  /** Counts a call of a reviewer, with the tokens that it reports, or 0. */
  readonly noteCall: (reviewer: string, tokens: number) => void;
  /** Warns the user and the agent. */
  readonly reporter: { warn(text: string): void };
}
