/**
 * Runs the hooks that are configured for one stop in parallel, emits their progress, records their runs and returns the
 * combined result (H11 to H24). Hooks in the background continue after that (H41). Loads the settings if the caller has
 * not, and then warns if hooks of the checkout ran without a check of trust (H31).
 */
import { plural } from "@/common/safeText";
import pLimit from "p-limit";
import { formatDiagnostic } from "@/common/diagnostics";
import { unlessAborted } from "@/common/abortable";
import { describeError, tryOr } from "@/common/errors";
import { MAX_HOOKS_AT_ONCE } from "@/common/limits";
import { policyOf, type TrustOption } from "@/node/services/hooks/trust/trustPolicy";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { BuiltinHooks, type UserTurn } from "@/node/services/hooks/contract/builtinRegistry";
import * as identity from "@/node/services/hooks/contract/hookFacts";
import type {
  ConfiguredHook,
  HookEvent,
  HookModel,
  HookRun,
  HookSettings,
  StopHookInput,
  StopHooksResult,
} from "@/node/services/hooks/contract/types";
import type * as handlers from "@/node/services/hooks/execution/handlers/handlerRun";
import { aggregateRuns, resultWithoutRuns } from "@/node/services/hooks/stop/aggregateRuns";
import * as limits from "@/node/services/hooks/stop/continuationLimit";
import {
  describeHook,
  executeHook,
  runWithoutOutput,
} from "@/node/services/hooks/execution/executeHook";
import { planHooks, type PlanSubject } from "@/node/services/hooks/stop/selectHooks";
import * as hookLog from "@/node/services/hooks/stop/hookLog";
import { loadHookSettings, type LoadOptions } from "@/node/services/hooks/settingsLoader";
import { InputPreparer } from "@/node/services/hooks/execution/prepareStopInputs";
import { hooksFailed } from "@/node/services/hooks/messages/shared";

export interface RunStopHooksOptions {
  /** The user's interrupt. The call resolves at once; the processes are ended within the grace period (H22). */
  abortSignal?: AbortSignal;
  /** Number of continuations that this turn has had (`MUX_CONTINUATION`); 0 by default. */
  continuation?: number;
  /** Settings that the caller has loaded. If absent, they are loaded, and their problems are warnings. */
  settings?: HookSettings;
  /** How settings are loaded. Without a trust policy the hooks of the project are trusted (H31). */
  load?: LoadOptions;
  /** Decides whether hooks of the checkout run. If it is absent, they do, and a warning says so (H31). */
  trust?: TrustOption;
  builtins?: BuiltinHooks;
  /** Answers prompt handlers, which are skipped if it is absent (H43). */
  model?: HookModel;
  /** The name of the calling program in messages to the user, such as `opencode`. */
  host?: string;
  onEvent?: (event: HookEvent) => void;
  /**
   * `chat.jsonl` on this machine, if the transcripts that `input` names are copies that the caller has made on the
   * workspace's machine: records are written beside it. If absent, `input` names files of this machine, and the hooks
   * of a remote workspace get copies that are made here (H34).
   */
  hostTranscriptPath?: string;
}

/** The options of a stop within a session, with data from earlier stops of the session. */
export interface SessionStopOptions extends RunStopHooksOptions {
  /** Warns of hooks of the checkout that run although no policy decided it (H31). */
  warnsWithoutTrust?: boolean;
  /** The hooks that have requested continuations in this turn, and the failures that have blocked (H19a, H45). */
  limit?: Partial<Pick<limits.ContinuationLimit, "launchFailures" | "blockingHooks" | "requests">>;
  /** For built-in hooks. */
  userTurn?: Partial<UserTurn>;
  /** The user's folder, in which runs are logged; absent: they are not (H47). */
  person?: hookLog.PersonFiles;
  /** If absent, copied transcripts are removed when the hooks have ended. */
  preparer?: InputPreparer;
  /** Ends hooks that run in the background. */
  backgroundSignal?: AbortSignal;
  /** Receives the work that continues after the result: hooks in the background, interrupted hooks, their files. */
  onDeferredWork?: (work: Promise<unknown>) => void;
  /** Writes of earlier records of the session, which come first in the files. */
  earlierRecords?: Promise<unknown>;
  /** Receives the write of the records. If absent, the result waits for it, unless it was interrupted (H24). */
  onRecords?: (written: Promise<void>) => void;
  /** Receives the result of a background hook when it ends. */
  onBackgroundRun?: (run: HookRun) => void;
}

/**
 * Runs the hooks that are configured for `input.hook_event_name`. Always resolves: every failure is a warning, and the
 * agent may stop (H23). Keeps no state between calls.
 */
export async function runStopHooks(
  runtime: HookRuntime,
  projectDir: string,
  input: StopHookInput,
  options: RunStopHooksOptions = {}
): Promise<StopHooksResult> {
  const { trust, load } = options;
  const trusting =
    trust === undefined
      ? { ...options, warnsWithoutTrust: true }
      : { ...options, load: { ...load, trust: policyOf(trust) } };
  return await runSessionStop(runtime, projectDir, input, trusting);
}

/** Runs the hooks of one stop of a session, as {@link runStopHooks} does. */
export async function runSessionStop(
  runtime: HookRuntime,
  projectDir: string,
  input: StopHookInput,
  options: SessionStopOptions
): Promise<StopHooksResult> {
  try {
    return await run(runtime, projectDir, input, options);
  } catch (thrown) {
    return { shouldStop: true, warnings: [hooksFailed(describeError(thrown))] };
  }
}

async function run(
  runtime: HookRuntime,
  projectDir: string,
  input: StopHookInput,
  options: SessionStopOptions
): Promise<StopHooksResult> {
  const builtins = options.builtins ?? new BuiltinHooks();
  const settings =
    options.settings ??
    (await loadHookSettings(runtime, projectDir, { builtins, ...options.load }));
  const plan = planHooks(settings, subjectOf(input, options), builtins);
  const severe = settings.diagnostics.filter(({ severity }) => severity !== "notice");
  const problems = options.settings === undefined ? severe.map(formatDiagnostic) : [];
  if (options.warnsWithoutTrust && !options.settings && !options.load?.trust) {
    // Hooks that are part of the checkout, or run a part of it, as the gauntlet does.
    const unchecked = plan.runs.filter(
      ({ fromProject, handler }) =>
        fromProject ||
        (handler.type === "builtin" && settings.checkout.get(handler.name)?.pinned !== undefined)
    );
    if (unchecked.length > 0)
      problems.push(
        `${plural(unchecked.length, "hook")} of the checkout ran without a check of trust, because the program that called runStopHooks set no trust; it should set trust to userTrust(runtime), or to "everything"`
      );
  }
  const skipped = [...plan.skipped];
  if (plan.runs.length === 0)
    return { ...addWarnings({ shouldStop: true, runs: [] }, problems), skipped };

  const preparer = options.preparer ?? new InputPreparer(runtime);
  const request = {
    projectDir,
    input,
    hasCopies: options.hostTranscriptPath !== undefined,
    transcriptOnHost: options.hostTranscriptPath ?? input.transcript_path,
    builtins,
    continuation: options.continuation ?? 0,
    passEnv: settings.passEnv,
    requestedContinuation: options.limit?.blockingHooks ?? new Set<string>(),
    checkout: settings.checkout,
    turn: { turnId: "", ...options.userTurn },
    env: options.load?.env ?? process.env,
    model: options.model,
  };
  const prepared = await preparer.prepare(plan.runs, request, options.abortSignal);
  if (prepared.isErr()) {
    const result = resultWithoutRuns(plan.runs, prepared.error, options.limit?.requests);
    return { ...addWarnings(result, [...problems, prepared.error]), skipped };
  }
  const { context, warnings } = prepared.value;
  const stop = new StopRun(context, settings, options);
  const result = await stop.run(plan.runs);
  if (options.preparer === undefined) {
    // Removes the copies of this stop when its hooks have ended. Does not wait for hooks that keep running.
    const tidied = stop.ended.then(() => preparer.dispose({ all: false }));
    if (options.onDeferredWork !== undefined) options.onDeferredWork(tidied);
    else if (!stop.goesOn) await tidied;
  }
  return { ...addWarnings(result, [...problems, ...warnings]), skipped };
}

/** Returns what the selection of hooks depends on. */
export function subjectOf(
  { hook_event_name: event, agent_type: agentType = "" }: StopHookInput,
  { model, host }: Pick<RunStopHooksOptions, "model" | "host">
): PlanSubject {
  return { event, agentType, hasModel: model !== undefined, host };
}

/** The hooks of one stop while they run. */
class StopRun {
  readonly #event;
  readonly #background: Promise<void>[] = [];
  #isOver = false;
  #all: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: handlers.StopContext,
    private readonly settings: HookSettings,
    private readonly options: SessionStopOptions
  ) {
    this.#event = context.input.hook_event_name;
  }

  /** Whether hooks are still running after the result. */
  get goesOn(): boolean {
    return this.#background.length > 0 || this.options.abortSignal?.aborted === true;
  }

  /** Resolves when no hook of this stop is running. */
  get ended(): Promise<unknown> {
    return Promise.all([this.#all, ...this.#background]);
  }

  async run(hooks: readonly ConfiguredHook[]): Promise<StopHooksResult> {
    const started = performance.now();
    this.#emit({ type: "hooks-start", event: this.#event, total: hooks.length });
    const limit = pLimit(MAX_HOOKS_AT_ONCE);
    const all = Promise.all(
      hooks.map((hook, i) => limit(() => this.#runOne(hook, i + 1, hooks.length)))
    );
    this.#all = all;
    const result =
      (await unlessAborted(this.#conclude(all), this.options.abortSignal)) ?? INTERRUPTED;
    const durationMs = Math.round(performance.now() - started);
    this.#emit({ type: "hooks-end", event: this.#event, durationMs, result });
    this.#isOver = true;
    return result;
  }

  /** Records and aggregates the runs. If the caller takes the records, the result does not wait for the disk. */
  async #conclude(all: Promise<HookRun[]>): Promise<StopHooksResult> {
    const recorded = all.then(async (runs) => {
      await this.options.earlierRecords;
      return await this.#record(runs.filter(({ outcome }) => outcome !== "background"));
    });
    const { onRecords } = this.options;
    if (onRecords === undefined) {
      const problem = await recorded;
      return addWarnings(aggregateRuns(await all), problem === undefined ? [] : [problem]);
    }
    const written = recorded.then((text) => {
      if (text !== undefined) this.#emit({ type: "notice", level: "warning", text });
    });
    onRecords(written);
    return aggregateRuns(await all);
  }

  async #runOne(hook: ConfiguredHook, index: number, total: number): Promise<HookRun> {
    const event = this.#event;
    const { name, title } = describeHook(hook);
    const label = hook.handler.statusMessage ?? title;
    const timeoutMs = identity.hookTimeoutMs(hook.handler, this.settings.defaultTimeoutS);
    this.#emit({ type: "hook-start", event, name, label, title, timeoutMs, index, total });
    const onOutput =
      this.options.onEvent &&
      ((text: string, isError: boolean): void => {
        this.#emit({ type: "hook-output", event, index, text, isError });
      });
    let run: HookRun;
    if (identity.isBackground(hook.handler) && this.options.abortSignal?.aborted !== true) {
      // Its verdict has no effect, and its messages are reported when it ends.
      const finished = this.#finishInBackground(hook).catch(() => undefined);
      this.#background.push(finished);
      this.options.onDeferredWork?.(finished);
      run = runWithoutOutput(hook, "background");
    } else run = await this.#execute(hook, this.options.abortSignal, onOutput);
    this.#emit({ type: "hook-end", event, index, total, run });
    return run;
  }

  async #execute(
    hook: ConfiguredHook,
    signal = new AbortController().signal,
    onOutput?: handlers.HandlerRun["onOutput"]
  ): Promise<HookRun> {
    const timeoutMs = identity.hookTimeoutMs(hook.handler, this.settings.defaultTimeoutS);
    const repeated = this.options.limit?.launchFailures ?? new Set<string>();
    const run = await executeHook({ hook, timeoutMs, signal, onOutput }, this.context, repeated);
    return limits.applyLoopLimit(run, hook, this.options.limit?.requests);
  }

  async #finishInBackground(hook: ConfiguredHook): Promise<void> {
    const run = await this.#execute(hook, this.options.backgroundSignal);
    const { end, reason } = run;
    const rewakes = hook.handler.asyncRewake === true && end?.kind === "exited" && end.code === 2;
    const backgroundRun: HookRun = {
      ...run,
      // The reason of exit code 2 (H41).
      finding: rewakes ? reason : undefined,
      outcome: run.outcome === "failed" ? "failed" : "background",
    };
    await this.#record([backgroundRun]);
    this.options.onBackgroundRun?.(backgroundRun);
  }

  /** Records runs. Resolves to an error message on failure, since a lost record changes no verdict. */
  async #record(runs: readonly HookRun[]): Promise<string | undefined> {
    const { runtime, input, transcriptOnHost } = this.context;
    try {
      const { person } = this.options;
      const problem = await hookLog.recordRuns(runtime.host, transcriptOnHost, runs);
      if (person !== undefined) await hookLog.logRuns(runtime.host, person, input.session_id, runs);
      return problem;
    } catch (thrown) {
      return hookLog.runsNotRecorded(describeError(thrown));
    }
  }

  /** After the end of the stop only notices are emitted: hooks of the next one have the same numbers. */
  #emit(event: HookEvent): void {
    if (this.#isOver && event.type !== "notice") return;
    // The progress display may fail, and must not decide whether an agent stops.
    tryOr(() => this.options.onEvent?.(event), undefined);
  }
}

function addWarnings(result: StopHooksResult, more: readonly string[]): StopHooksResult {
  return more.length === 0
    ? result
    : { ...result, warnings: [...(result.warnings ?? []), ...more] };
}

/** The result of an interrupt. Earlier answers of the hooks do not count (H22). */
const INTERRUPTED: StopHooksResult = { shouldStop: true, cancelled: true };
