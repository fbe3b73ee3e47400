/**
 * Decides for any host whether an agent may stop: freezes the settings of a turn (H7), runs the hooks at its stop,
 * counts continuations and notifies the user. One controller serves one session: the main agent with `Stop`, or one
 * sub-agent with `SubagentStop`, which keeps the hooks of the turn that started it.
 */
import { policyOf, type TrustOption } from "@/node/services/hooks/trust/trustPolicy";
import type * as contract from "@/node/services/hooks/contract/types";
import { userHome } from "@/common/userHome";
import { formatDiagnostic } from "@/common/diagnostics";
import { unlessAborted } from "@/common/abortable";
import { describeError, tryOr } from "@/common/errors";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { BackgroundHooks } from "@/node/services/hooks/stop/BackgroundHooks";
import { ContinuationLimit } from "@/node/services/hooks/stop/continuationLimit";
import { BuiltinHooks, type UserTurn } from "@/node/services/hooks/contract/builtinRegistry";
import * as ends from "@/node/services/hooks/stop/stopVerdict";
import { type Engine, engine, loadEngine } from "@/node/services/hooks/loadEngine";
import { isNothing } from "@/node/services/hooks/settings/hookDefinitions";
import type { PersonFiles } from "@/node/services/hooks/stop/hookLog";
import type { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
import type { LoadOptions, LoadRequest, LoadedHooks } from "@/node/services/hooks/settingsLoader";
import type { InputPreparer } from "@/node/services/hooks/execution/prepareStopInputs";
import { hooksFailed, USER_MESSAGE_FIRST } from "@/node/services/hooks/messages/shared";

export interface StopHookControllerOptions {
  runtime: HookRuntime;
  /** Absolute: the workspace's checkout. */
  projectDir: string;
  event: contract.HookEventName;
  builtins?: BuiltinHooks;
  /** Answers prompt handlers, which are skipped if it is absent (H43). */
  model?: contract.HookModel;
  /** The name of the calling program in messages to the user, such as `opencode`. */
  host?: string;
  /** Decides whether hooks of the checkout run; absent: `load.trust` does, else they run (H31). */
  trust?: TrustOption;
  /** Trust policy, environment and home. */
  load?: LoadOptions;
  /** The user's folder, for the log of runs and the record of hints (H46, H47); absent: neither is kept. */
  person?: PersonFiles;
  /** For a sub-agent: the plan of the user's turn in which it was started, which it keeps (H7). */
  turn?: FrozenTurn;
  /** Called with progress and notices for the chat. */
  onEvent?: (event: contract.HookEvent) => void;
}

export interface FinishedTurn extends ends.TurnEnd {
  input: Omit<contract.StopHookInput, "hook_event_name" | "stop_hook_active">;
  /** `chat.jsonl` on this machine, if the hooks get a copy on another one. */
  hostTranscriptPath?: string;
}

export class StopHookController {
  readonly #options: StopHookControllerOptions;
  readonly #builtins: BuiltinHooks;
  readonly #guard = new ContinuationLimit();
  readonly #background = new BackgroundHooks();
  #preparer: InputPreparer | undefined;
  /** Notices that were emitted once and are not repeated in this session. */
  readonly #notified = new Set<string>();
  /** The plan of the turn; absent before the first turn, as after a restart of the host. */
  #plan: FrozenTurn | undefined;
  /** The plan of the turn before, also while a new one is loaded. */
  #before: FrozenTurn | undefined;
  #userTurn: Partial<UserTurn> = {};
  #isRestored = false;
  #hasHinted = false;
  #running: AbortController | undefined;
  #isDisposed = false;
  /** Incremented with every turn, so that a verdict of an earlier turn can be recognized. */
  #turn = 0;

  constructor({ trust, ...options }: StopHookControllerOptions) {
    this.#options = options;
    if (trust !== undefined) options.load = { ...options.load, trust: policyOf(trust) };
    this.#builtins = options.builtins ?? new BuiltinHooks();
  }

  /** The plan of the current turn, for the sub-agents that are started in it. */
  get turn(): FrozenTurn | undefined {
    return this.#plan ?? this.#options.turn;
  }

  /** Whether the turn continues because a hook requested it (H25). */
  get stopHookActive(): boolean {
    return this.continuations > 0;
  }

  /** Number of times that hooks have sent the agent back in this turn. */
  get continuations(): number {
    return this.#guard.continuations;
  }

  /**
   * Begins a turn with a message of the user, an edit or a retry. Resets the counter to 0, and freezes what runs at
   * every stop of the turn (H7).
   *
   * @param known set by a host that has just found nothing configured
   * @param parent the plan of the user's turn in which an agent requested this one; an existing plan is kept
   * @returns a value if a stop would neither run a hook nor notify the user
   */
  async beginTurn(
    known?: "nothing configured",
    parent = this.#options.turn
  ): Promise<"nothing configured" | undefined> {
    const turn = ++this.#turn;
    this.#guard.reset();
    this.#userTurn = { turnId: crypto.randomUUID(), turnBegan: new Date() };
    const { FrozenTurn, hasNoEffect } = await loadEngine();
    if (parent !== undefined) {
      this.#plan ??= await this.#inherit(parent);
      return undefined;
    }
    const before = (this.#before = this.#plan ?? this.#before);
    this.#plan = undefined;
    const plan = known ? FrozenTurn.EMPTY : new FrozenTurn(await this.#load({ purpose: "turn" }));
    if (turn !== this.#turn) return undefined;
    const { settings } = plan.began;
    // The settings of an unreachable machine are unknown and most likely unchanged, so the last plan is kept.
    this.#plan = settings.loadError === undefined ? plan : before;
    if (settings.loadError === undefined && before !== undefined) {
      for (const text of plan.since(before)) this.#notice("warning", text);
    }
    if (settings.trust.trusted) this.#notifyOfTrust(settings);
    return hasNoEffect(settings, this.#options.event) ? "nothing configured" : undefined;
  }

  /** Handles a turn that the host itself begins, as for a goal. It belongs to the user's last message (H25). */
  beginHostTurn(): void {
    this.#guard.renew();
    this.#userTurn = { ...this.#userTurn, isHostTurn: true };
  }

  /** Restores the counter after a restart, from the count of the last turn in the transcript (H27). */
  restore(continuations: number): void {
    this.#isRestored = continuations > 0;
    this.#guard.restore(continuations);
  }

  /** Returns the context and the findings of background hooks since the last call, to be sent with the next turn. */
  takeBackgroundContext(): string | undefined {
    return this.#background.takeContext();
  }

  /** Decides whether the agent may stop. Never rejects: in case of doubt the agent may stop. */
  async turnEnded(turn: FinishedTurn): Promise<ends.StopVerdict> {
    try {
      return await this.#decide(turn);
    } catch (thrown) {
      const reason = hooksFailed(describeError(thrown));
      this.#notice("warning", reason);
      return ends.unverifiedEnd(reason);
    }
  }

  /** Ends running hooks after an interrupt by the user. Their answers do not count (H22). */
  cancel(): void {
    this.#running?.abort();
  }

  /** Ends the session. Resolves when none of its work is running. */
  async dispose(): Promise<void> {
    this.#turn++;
    this.#isDisposed = true;
    this.cancel();
    await this.#background.dispose();
    await this.#preparer?.dispose();
  }

  async #decide(turn: FinishedTurn): Promise<ends.StopVerdict> {
    if (this.#isDisposed) {
      return { action: "end", reason: "no hooks ran, because the session has ended" };
    }
    const why = ends.whyNoHooks(turn, this.#options.load?.env ?? process.env);
    if (why !== undefined) {
      return turn.finish === "stop" ? { action: "end", reason: why } : ends.unverifiedEnd(why);
    }
    const running = new AbortController();
    this.#running = running;
    const begun = this.#turn;
    const input: contract.StopHookInput = {
      prompt_id: this.#userTurn.turnId,
      ...turn.input,
      hook_event_name: this.#options.event,
      stop_hook_active: this.stopHookActive,
    };
    try {
      const loadedEngine = await loadEngine();
      const preparer = (this.#preparer ??= new loadedEngine.InputPreparer(this.#options.runtime));
      const loaded = await this.#loadAndPrepare(preparer, input, turn, running.signal);
      if (loaded === undefined) return INTERRUPTED;
      if (loaded.loadError !== undefined) {
        this.#notice("warning", loaded.loadError);
        return this.#concludeUnloaded(loadedEngine, input, loaded.loadError, turn);
      }
      this.#notifyOnce(loaded.diagnostics.map(formatDiagnostic));
      this.#notifyOfTrust(loaded);
      this.#background.track(this.#hint());
      const { runtime, projectDir } = this.#options;
      const result = await loadedEngine.runSessionStop(runtime, projectDir, input, {
        ...this.#options,
        settings: loaded,
        userTurn: this.#userTurn,
        preparer,
        builtins: this.#builtins,
        abortSignal: running.signal,
        continuation: this.continuations,
        limit: this.#guard,
        backgroundSignal: this.#background.signal,
        onDeferredWork: (work) => {
          this.#background.track(work);
        },
        earlierRecords: this.#background.records,
        onRecords: (written) => {
          this.#background.record(written);
        },
        onBackgroundRun: (run) => {
          this.#background.keep(run);
          const { name, title, finding } = run;
          if (finding !== undefined) {
            const text = `${name} (${title}) ran in the background and found a problem, which the agent gets with your next message:\n${finding}`;
            this.#notice("warning", text);
          }
          for (const text of run.warnings) this.#notice("warning", `${name}: ${text}`);
          if (run.systemMessage !== undefined) this.#notice("info", run.systemMessage);
        },
        hostTranscriptPath: turn.hostTranscriptPath,
      });
      if (running.signal.aborted || begun !== this.#turn) return INTERRUPTED;
      this.#report(result);
      const verdict = this.#conclude(result, loaded, turn);
      if (verdict.action === "end")
        await unlessAborted(this.#background.recorded(), running.signal);
      return verdict;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  /**
   * Loads the settings and prepares the input in one tick, so that a runtime on another machine needs one round trip.
   * Returns undefined if the user interrupts, without waiting for a machine that may not respond (H22).
   */
  async #loadAndPrepare(
    preparer: InputPreparer,
    input: contract.StopHookInput,
    { hostTranscriptPath }: FinishedTurn,
    signal: AbortSignal
  ): Promise<contract.HookSettings | undefined> {
    const { projectDir } = this.#options;
    const place = { projectDir, input, hasCopies: hostTranscriptPath !== undefined };
    const begin = await unlessAborted(preparer.prefetch(place), signal);
    if (begin === undefined) return undefined;
    const loading = this.#planForStop();
    begin(signal);
    return await unlessAborted(loading, signal);
  }

  /** Decides a stop whose hooks are known only from the turn's plan, because they could not be loaded (H35, H44). */
  #concludeUnloaded(
    { NO_SETTINGS, planHooks, resultWithoutRuns, subjectOf }: typeof Engine,
    input: contract.StopHookInput,
    problem: string,
    turn: FinishedTurn
  ): ends.StopVerdict {
    const settings = this.#plan?.began.settings ?? NO_SETTINGS;
    const { runs } = planHooks(settings, subjectOf(input, this.#options), this.#builtins);
    const result = resultWithoutRuns(runs, problem, this.#guard.requests);
    return result.shouldStop ? ends.unverifiedEnd(problem) : this.#conclude(result, settings, turn);
  }

  #conclude(
    result: contract.StopHooksResult,
    settings: contract.HookSettings,
    turn: FinishedTurn
  ): ends.StopVerdict {
    if (result.shouldStop) {
      this.#guard.noteAllowedStop(result);
      return ends.describeEnd(result, settings);
    }
    if (turn.hasQueuedInput()) {
      return ends.unverifiedEnd(`${USER_MESSAGE_FIRST}, so the decision of the hooks is ignored`);
    }
    const refusal = this.#guard.tryContinue(result, settings.maxContinuations);
    if (refusal !== undefined) {
      this.#notice("warning", refusal);
      return ends.unverifiedEnd(refusal);
    }
    const message = ends.continuationMessage(this.#options.event, result);
    return { action: "continue", message, continuation: this.continuations };
  }

  /** Returns the plan of the turn, checked against present files, or after a restart the recorded definitions (H7). */
  async #planForStop(): Promise<contract.HookSettings> {
    const { turn } = this.#options;
    if (turn !== undefined) this.#plan ??= await this.#inherit(turn);
    const plan = this.#plan;
    if (plan === undefined) {
      const { settings, trust, present } = await this.#load({ purpose: "restart" });
      const isKnown = trust.trusted && trust.isRecorded === true;
      if (this.#isRestored && !isKnown && !isNothing(present.checkout.definitions)) {
        this.#notifyOnce([RESTARTED]);
      }
      return settings;
    }
    const { checkout, trust } = plan.began;
    const now = await this.#load({ chosen: { checkout, trust } });
    if (now.settings.loadError !== undefined) return now.settings;
    const { settings, notices } = plan.atStop(now);
    this.#notifyOnce(notices);
    return settings;
  }

  /** Returns the plan of another workspace's turn for the checkout of this one. */
  async #inherit(turn: FrozenTurn): Promise<FrozenTurn | undefined> {
    const { projectDir } = this.#options;
    const { user, checkout, trust } = turn.began;
    if (turn.began.projectDir === projectDir) return turn;
    const { FrozenTurn, recallLayers } = await loadEngine();
    const recalled = await recallLayers(checkout.definitions, projectDir, this.#builtins);
    const loaded = await this.#load({ chosen: { user, checkout: recalled, trust } });
    return loaded.settings.loadError === undefined ? new FrozenTurn(loaded) : undefined;
  }

  async #load(request: Omit<LoadRequest, keyof LoadOptions>): Promise<LoadedHooks> {
    const { runtime, projectDir, load } = this.#options;
    const { loadHooks } = engine ?? (await loadEngine());
    return await loadHooks(runtime, projectDir, { builtins: this.#builtins, ...load, ...request });
  }

  #report(result: contract.StopHooksResult): void {
    const { warnings = [], systemMessages = [], stopReason, skipped = [], runs = [] } = result;
    const visible = skipped.filter((skip) => skip.visible);
    this.#notifyOnce(visible.map(({ hook, reason }) => `${hook.name} does not run: ${reason}`));
    for (const text of warnings) this.#notice("warning", text);
    for (const text of systemMessages) {
      const isProblem = runs.some((run) => run.unverified === true && run.systemMessage === text);
      this.#notice(isProblem ? "warning" : "info", text);
    }
    if (stopReason !== undefined) this.#notice("info", stopReason);
  }

  #notifyOnce(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.#notified.has(text)) continue;
      // A file that changes often causes many texts, and memory must stay bounded.
      if (this.#notified.size >= MAX_REMEMBERED_NOTICES) this.#notified.clear();
      this.#notified.add(text);
      this.#notice("warning", text);
    }
  }

  /** Notifies the user of Claude Code's hooks at the first stop of the session, once for each project (H46). */
  async #hint(): Promise<void> {
    const { person, event, runtime, projectDir, load } = this.#options;
    if (person === undefined || event !== "Stop" || this.#hasHinted) return;
    this.#hasHinted = true;
    const place = { env: load?.env ?? process.env, home: load?.home ?? userHome() };
    const { takeImportHint } = await loadEngine();
    const text = await takeImportHint(runtime, projectDir, place, person);
    if (text !== undefined) this.#notice("info", text);
  }

  #notifyOfTrust({ trust }: contract.HookSettings): void {
    const text = trust.trusted ? trust.notice : trust.message;
    if (text !== undefined) this.#notifyOnce([text]);
  }

  #notice(level: "info" | "warning", text: string): void {
    // The progress display may fail, and must not decide whether an agent stops.
    tryOr(() => this.#options.onEvent?.({ type: "notice", level, text }), undefined);
  }
}

const RESTARTED =
  "the session was restarted during this turn, so the project's hooks run as they are configured now";
const INTERRUPTED = ends.unverifiedEnd("interrupted while hooks ran");
const MAX_REMEMBERED_NOTICES = 1_000;
