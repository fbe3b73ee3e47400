/** One run, from the look at what an earlier one left to the state that it leaves itself. The lock is held. */
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { posix } from "node:path";
import { keepSnapshots } from "@/node/services/gauntlet/change/keepSnapshots";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot";
import {
  episodeAfter,
  isExhausted,
  NEW_EPISODE,
  statusOf,
  type Episode,
} from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { EntryPoint, GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { contextChange } from "@/node/services/gauntlet/run/autoClean";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";
import { runChecks } from "@/node/services/gauntlet/run/runChecks";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { RunLog } from "@/node/services/gauntlet/run/RunLog";
import { isCi, isWhole } from "@/node/services/gauntlet/run/runOptions";
import { selectJobs } from "@/node/services/gauntlet/run/selectJobs";
import { stateAfter } from "@/node/services/gauntlet/run/stateAfter";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import {
  readState,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { nextRunNumber, PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";

export class GauntletRun {
  constructor(private readonly given: GauntletRunContext) {}

  async run(): Promise<RunResult> {
    const done = await this.#attempt();
    return done.match(
      (result) => result,
      ({ message }) => resultOf("infrastructure_error", { errorMessage: message })
    );
  }

  #attempt(): ResultAsync<RunResult, { readonly message: string }> {
    const { options, config, context, logDir } = this.given;
    const { runtime } = options;
    return safeTry(
      async function* (this: GauntletRun) {
        const state = yield* await this.#currentState();
        const before = { attempt: state.attempt, open: state.open };
        const entryPoints = this.#entryPoints();
        if (entryPoints.isErr()) return ok(resultOf("error", { errorMessage: entryPoints.error }));
        if (isExhausted(before, config.maxRetries)) {
          return await this.#leave(state, before, resultOf("retry_limit_exceeded"));
        }
        const { id: snapshot, warnings } = yield* await takeSnapshot(runtime, context);
        for (const text of warnings) this.#notice("warning", text);
        if (this.#isVerified(state, snapshot)) {
          return await this.#leave(state, before, resultOf("no_changes"), snapshot);
        }
        const { jobs, hasChanges } = yield* await selectJobs({
          runtime,
          context,
          entryPoints: entryPoints.value,
          snapshot,
          ci: isCi(this.given.env),
          open: before.open,
          baselines: state.baselines,
          ...(options.scope === undefined ? {} : { scope: options.scope }),
        });
        if (jobs.length === 0) {
          // What is open of gates and folders that are no more is nobody's to mend.
          const after = isWhole(options) ? NEW_EPISODE : before;
          const isSettled = !hasChanges && after.open.length === 0;
          const status = isSettled ? "no_changes" : "no_applicable_gates";
          return await this.#leave(state, after, resultOf(status), snapshot);
        }
        const run = yield* await nextRunNumber(runtime, logDir);
        const log = new RunLog(runtime, logDir, run);
        return await this.#check(state, { run, snapshot, jobs, log, before });
      }.bind(this)
    );
  }

  /** The state of this context: what belongs to another branch, or to work that was merged, is put away. */
  async #currentState(): Promise<Result<ExecutionState, { readonly message: string }>> {
    const { options, context, logDir } = this.given;
    const { runtime } = options;
    const { state, warning } = await readState(runtime, logDir);
    if (warning !== undefined) this.#notice("warning", warning);
    if (state === undefined) return ok(NO_STATE);
    const changed = await contextChange(runtime, context, state);
    if (changed.isErr()) return err(changed.error);
    if (changed.value === undefined) return ok(state);
    const cleaned = await cleanLogs(runtime, logDir, { keepState: false });
    if (cleaned.isErr()) return err(cleaned.error);
    this.#notice("info", changed.value);
    return ok(NO_STATE);
  }

  /** Entry points with the gates that this run may have, or why a name is none. */
  #entryPoints(): Result<readonly EntryPoint[], string> {
    const { options, config, env } = this.given;
    const all = config.entryPoints.flatMap(({ gates }) => gates);
    const unknown = options.gates?.find((name) => all.every((gate) => gate.name !== name));
    if (unknown !== undefined) {
      const names = [...new Set(all.map(({ name }) => name))].join(", ");
      return err(`there is no gate named "${unknown}"; there are: ${names}`);
    }
    const reviews = new Set(all.flatMap((g) => (g.kind === "review" && g.enabled ? g.name : [])));
    if (reviews.size > 0) {
      this.#notice("warning", `reviews are not run by this version: ${[...reviews].join(", ")}`);
    }
    const ci = isCi(env);
    const isWanted = (gate: EntryPoint["gates"][number]): boolean =>
      gate.kind === "check" &&
      (ci ? gate.runInCi : gate.runLocally) &&
      (options.gates?.includes(gate.name) ?? true);
    return ok(
      config.entryPoints.map((point) => ({ ...point, gates: point.gates.filter(isWanted) }))
    );
  }

  /** Nothing at all has changed since everything passed by the same configuration. */
  #isVerified({ passed, open }: ExecutionState, snapshot: string): boolean {
    const { options, config, env } = this.given;
    return (
      isWhole(options) &&
      !isCi(env) &&
      open.length === 0 &&
      passed?.snapshot === snapshot &&
      passed.definition === config.digest
    );
  }

  async #check(state: ExecutionState, plan: Plan): Promise<Result<RunResult, { message: string }>> {
    const { options, config, logDir, signal, emit } = this.given;
    const { log, before, snapshot, jobs } = plan;
    const tell = (event: RunEvent): void => {
      log.hear(event);
      emit(event);
    };
    tell({ type: "plan", jobs });
    const gates = await runChecks(this.given, plan, tell);

    const whole = isWhole(options);
    const outcome = { results: gates, whole, interrupted: isAborted(signal) };
    // A whole run has every open job that there still is: of the others nobody could settle anything.
    const ids = new Set(jobs.map(({ id }) => id));
    const open = whole ? before.open.filter((id) => ids.has(id)) : before.open;
    const after = episodeAfter({ ...before, open }, outcome);
    const status = statusOf(outcome, after, config.maxRetries);
    const cleans = whole && status === "passed";
    const result = resultOf(status, {
      gates: cleans ? gates.map((gate) => movedLog(gate, logDir)) : gates,
      fixed: before.open.filter((id) => !after.open.includes(id)),
      consoleLogPath: cleans ? inPrevious(log.path, logDir) : log.path,
      ...(status === "infrastructure_error" ? { errorMessage: abortReason(signal) } : {}),
      ...(whole ? { attempt: before.attempt + 1, maxAttempts: config.maxRetries + 1 } : {}),
    });
    await log.close(result);
    const left = await this.#leave(state, after, result, snapshot);
    if (cleans) await cleanLogs(options.runtime, logDir, { keepState: true });
    return left;
  }

  /** Writes the state; refs first, for a state must not name what git may collect. */
  async #leave(
    state: ExecutionState,
    after: Episode,
    result: RunResult,
    snapshot?: string
  ): Promise<Result<RunResult, { readonly message: string }>> {
    const { options, context, logDir } = this.given;
    const next = stateAfter(state, { ...this.given, after, result, snapshot });
    const ids = [
      next.working_tree_ref,
      next.passed?.snapshot,
      ...Object.values(next.baselines).map((baseline) => baseline.snapshot),
    ].filter((id) => id !== undefined);
    // The state is written also where the run was interrupted (G28).
    const { signal, ...calm } = context;
    const kept = await keepSnapshots(options.runtime, calm, ids);
    if (kept.isErr()) this.#notice("warning", kept.error.message);
    const written = await writeState(options.runtime, logDir, next);
    return written.map(() => result);
  }

  #notice(level: "info" | "warning", text: string): void {
    this.given.emit({ type: "notice", level, text });
  }
}

const NO_STATE: ExecutionState = { attempt: 0, open: [], baselines: {} };

/** Asked anew each time: while something is awaited, the answer changes. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== "AbortError"
    ? reason.message
    : "the run was interrupted";
}

function movedLog(gate: GateResult, logDir: string): GateResult {
  return gate.logPath === undefined ? gate : { ...gate, logPath: inPrevious(gate.logPath, logDir) };
}

function inPrevious(path: string, logDir: string): string {
  return posix.join(logDir, PREVIOUS_FOLDER, posix.basename(path));
}
