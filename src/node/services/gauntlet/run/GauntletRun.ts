/** One run, from the look at what an earlier one left to the state that it leaves itself. The lock is held. */
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { posix } from "node:path";
import { keepSnapshots } from "@/node/services/gauntlet/change/keepSnapshots";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot";
import {
  episodeAfter,
  isExhausted,
  keepOpen,
  NEW_EPISODE,
  statusOf,
  type Episode,
  type RunOutcome,
} from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type {
  GateDefinition,
  GateResult,
  Job,
  SlotResult,
} from "@/node/services/gauntlet/domain/gate";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import {
  isBlockingStatus,
  isSuccessStatus,
  type GauntletStatus,
} from "@/node/services/gauntlet/domain/status";
import { configGate } from "@/node/services/gauntlet/run/configGate";
import { contextChange } from "@/node/services/gauntlet/run/autoClean";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";
import { partOfRun } from "@/node/services/gauntlet/run/partOfRun";
import { runGates } from "@/node/services/gauntlet/run/runGates";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { ReviewRuns } from "@/node/services/gauntlet/run/ReviewRuns";
import { RunLog } from "@/node/services/gauntlet/run/RunLog";
import { isPlain, isWhole, usableBaselines } from "@/node/services/gauntlet/run/runOptions";
import { selectJobs } from "@/node/services/gauntlet/run/selectJobs";
import { ofPart } from "@/node/services/gauntlet/run/shard";
import { stateAfter } from "@/node/services/gauntlet/run/stateAfter";
import { wantedGates } from "@/node/services/gauntlet/run/wantedGates";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import {
  NO_STATE,
  readState,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { nextRunNumber, PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";

export class GauntletRun {
  /** What an earlier run left, once it is read. */
  #found: ExecutionState | undefined;

  constructor(private readonly given: GauntletRunContext) {}

  async run(): Promise<RunResult> {
    const done = await this.#attempt();
    if (done.isOk()) return done.value;
    const result = resultOf("infrastructure_error", { errorMessage: done.error.message });
    // Whatever the outcome, the next run finds how this one ended (G16).
    if (this.#found !== undefined) await this.#leave(this.#found, this.#found, { result });
    return result;
  }

  #attempt(): ResultAsync<RunResult, { readonly message: string }> {
    const { options, config, context, logDir, env, voice } = this.given;
    const { runtime } = options;
    return safeTry(
      async function* (this: GauntletRun) {
        const state = yield* await this.#currentState();
        this.#found = state;
        const before = { attempt: state.attempt, open: state.open };
        const wanted = wantedGates(config, options, env);
        if (wanted.isErr()) {
          const result = resultOf("error", { errorMessage: wanted.error });
          return await this.#leave(state, before, { result });
        }
        const { entryPoints, elsewhere } = wanted.value;
        if (isExhausted(before, config.maxRetries)) {
          return await this.#leave(state, before, { result: resultOf("retry_limit_exceeded") });
        }
        const { id: snapshot, warnings } = yield* await takeSnapshot(runtime, context, {
          keepIndex: true,
        });
        for (const text of warnings) voice.notice("warning", text);
        if (this.#isVerified(state, snapshot)) {
          return await this.#leave(state, before, { result: resultOf("no_changes"), snapshot });
        }
        const {
          jobs: all,
          scopes,
          hasChanges,
        } = yield* await selectJobs({
          runtime,
          context,
          entryPoints,
          snapshot,
          open: options.part === undefined ? before.open : [],
          baselines: usableBaselines(options, env, state.baselines),
          ...(options.scope === undefined ? {} : { scope: options.scope }),
        });
        const jobs = ofPart(all, options.part);
        const part = partOfRun(this.given, snapshot, all);
        if (jobs.length === 0 && options.configProblem === undefined) {
          // What is open of gates and folders that are no more is nobody's to mend.
          const open = before.open.filter((id) => isJobOf(id, elsewhere));
          const after = isWhole(options) ? keepOpen(NEW_EPISODE, before, open) : before;
          const isSettled = !hasChanges && after.open.length === 0;
          const result = resultOf(isSettled ? "no_changes" : "no_applicable_gates", part);
          return await this.#leave(state, after, { result, snapshot });
        }
        const run = yield* await nextRunNumber(runtime, logDir);
        const log = new RunLog(runtime, logDir, run);
        for (const notice of voice.notices) log.hear(notice);
        return await this.#check(state, {
          run,
          snapshot,
          jobs,
          scopes,
          log,
          before,
          elsewhere,
          part,
        });
      }.bind(this)
    );
  }

  /** The state of this context: what belongs to another branch, or to work that was merged, is put away. */
  async #currentState(): Promise<Result<ExecutionState, { readonly message: string }>> {
    const { options, context, logDir, voice } = this.given;
    const { runtime, baseBranch } = options;
    const { state, warning, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return err(lost);
    if (warning !== undefined) voice.notice("warning", warning);
    if (state === undefined) return ok(NO_STATE);
    const changed = await contextChange(runtime, context, state, baseBranch);
    if (changed.isErr()) return err(changed.error);
    if (changed.value === undefined) return ok(state);
    const cleaned = await cleanLogs(runtime, logDir, { keepState: false });
    if (cleaned.isErr()) return err(cleaned.error);
    voice.notice("info", changed.value);
    return ok(NO_STATE);
  }

  /** Nothing at all has changed since everything passed by the same configuration. */
  #isVerified({ passed, open }: ExecutionState, snapshot: string): boolean {
    const { options, config, env } = this.given;
    return (
      isPlain(options, env) &&
      options.configProblem === undefined &&
      open.length === 0 &&
      passed?.snapshot === snapshot &&
      passed.definition === config.digest
    );
  }

  async #check(state: ExecutionState, plan: Plan): Promise<Result<RunResult, { message: string }>> {
    const { options, config, logDir, signal, voice } = this.given;
    const { log, before, snapshot, jobs, elsewhere, part } = plan;
    const tell = (event: RunEvent): void => {
      log.hear(event);
      voice.tell(event);
    };
    tell({ type: "plan", jobs });
    const reviews = new ReviewRuns(this.given, state);
    const gates = [
      ...(await this.#checkConfig(plan, tell)),
      ...(await runGates(this.given, plan, reviews, tell)),
    ];

    const whole = isWhole(options);
    const outcome = { results: gates, whole, ...this.#endedBy() };
    // A whole run has every open job that there still is: of the others nobody could settle anything.
    const ids = new Set([...jobs.map(({ id }) => id), ...gates.map(({ jobId }) => jobId)]);
    const [here, others] = partition(before.open, (id) => !whole || ids.has(id));
    const settled = episodeAfter({ ...before, open: here }, outcome);
    const { skipped } = reviews;
    const status = withWarnings(statusOf(outcome, settled, config.maxRetries), skipped);
    const kept = others.filter((id) => isJobOf(id, elsewhere));
    const after = keepOpen(settled, before, kept);
    const cleans = whole && isSuccessStatus(status);
    const result = resultOf(status, {
      gates: cleans ? gates.map((gate) => movedLog(gate, logDir)) : gates,
      fixed: [...before.open.filter((id) => !after.open.includes(id)), ...reviews.fixed],
      skipped,
      consoleLogPath: cleans ? inPrevious(log.path, logDir) : log.path,
      ...(status === "infrastructure_error" ? { errorMessage: whyNot(gates, signal) } : {}),
      ...(whole ? { attempt: before.attempt + 1, maxAttempts: config.maxRetries + 1 } : {}),
      warnings: voice.warnings,
      ...part,
    });
    await log.close(result);
    const left = await this.#leave(state, after, { result, snapshot, jobs, reviews });
    if (cleans) await cleanLogs(options.runtime, logDir, { keepState: true });
    return left;
  }

  async #checkConfig(plan: Plan, tell: (event: RunEvent) => void): Promise<GateResult[]> {
    const { options, logDir } = this.given;
    const { runtime, configProblem: problem } = options;
    if (problem === undefined) return [];
    const result = await configGate(runtime, { problem, logDir, run: plan.run });
    tell({ type: "gate-end", result });
    return [result];
  }

  /** Writes the state; refs first, for a state must not name what git may collect. */
  async #leave(
    state: ExecutionState,
    after: Episode,
    { jobs = [], reviews, ...ended }: Leaving
  ): Promise<Result<RunResult, { readonly message: string }>> {
    const { options, context, logDir, voice } = this.given;
    const { result, snapshot } = ended;
    const next = stateAfter(state, {
      ...this.given,
      after,
      result,
      snapshot,
      jobs,
      reviews: reviews?.reviews ?? state.reviews,
      resting: reviews?.resting ?? state.resting,
    });
    const ids = [
      next.working_tree_ref,
      next.passed?.snapshot,
      ...Object.values(next.baselines).map((baseline) => baseline.snapshot),
      ...Object.values(next.reviews).flatMap((slots) =>
        Object.values(slots).map((slot) => slot.snapshot)
      ),
    ].filter((id) => id !== undefined);
    // The state is written also where the run was interrupted (G28).
    const { signal, ...calm } = context;
    const kept = await keepSnapshots(options.runtime, calm, ids);
    if (kept.isErr()) voice.notice("warning", kept.error.message);
    const written = await writeState(options.runtime, logDir, next);
    if (written.isOk()) return ok(result);
    // A gate that failed has failed, whether or not that can be written down.
    if (!isBlockingStatus(result.status)) return err(written.error);
    voice.notice("warning", written.error.message);
    return ok(result);
  }

  #endedBy(): Pick<RunOutcome, "ended"> {
    const { options, signal } = this.given;
    if (signal?.aborted !== true) return {};
    return { ended: options.signal?.aborted === true ? "person" : "limit" };
  }
}

function isJobOf(id: string, gates: readonly GateDefinition[]): boolean {
  return gates.some((gate) => folderOfJob(id, gate) !== undefined);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

interface Leaving {
  readonly result: RunResult;
  readonly snapshot?: string;
  readonly jobs?: readonly Job[];
  readonly reviews?: ReviewRuns;
}

/** What was skipped lets an agent stop, and is told (G2). */
function withWarnings(status: GauntletStatus, skipped: readonly unknown[]): GauntletStatus {
  return status === "passed" && skipped.length > 0 ? "passed_with_warnings" : status;
}

function whyNot(gates: readonly GateResult[], signal: AbortSignal | undefined): string {
  const gate = gates.find(({ unreachable }) => unreachable === true);
  if (signal?.aborted === true || gate?.message === undefined) return abortReason(signal);
  return `${gate.jobId}: ${gate.message}`;
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== "AbortError"
    ? reason.message
    : "the run was interrupted";
}

function movedLog(gate: GateResult, logDir: string): GateResult {
  return { ...gate, ...movedPaths(gate, logDir), ...movedSlots(gate, logDir) };
}

function movedSlots({ slots }: GateResult, logDir: string): Pick<GateResult, "slots"> {
  return slots === undefined
    ? {}
    : { slots: slots.map((slot) => ({ ...slot, ...movedPaths(slot, logDir) })) };
}

function movedPaths(
  { logPath, jsonPath }: Pick<SlotResult, "logPath" | "jsonPath">,
  logDir: string
) {
  return {
    ...(logPath === undefined ? {} : { logPath: inPrevious(logPath, logDir) }),
    ...(jsonPath === undefined ? {} : { jsonPath: inPrevious(jsonPath, logDir) }),
  };
}

function inPrevious(path: string, logDir: string): string {
  return posix.join(logDir, PREVIOUS_FOLDER, posix.basename(path));
}
