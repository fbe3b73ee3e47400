/**
 * The embedded session: a conversation with an agent in a project, whose turns end only when the hooks allow it. It
 * queues messages, and can be interrupted, compacted and continued later. A sub-agent is a session of its own, with
 * SubagentStop hooks instead of Stop hooks.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { continuationsInTurn, modelFields, type StopVerdict } from "@/node/services/hooks/index";
import {
  BackgroundTasks,
  type BackgroundTask,
  type AgentSessionOptions,
  type Subagent,
  type SubagentRequest,
  type ToolHost,
} from "@/node/services/session/toolHost";
import { type ChatEvent, isHookEvent } from "@/node/services/session/chatEvents";
import { createHookModel } from "@/node/services/session/createHookModel";
import * as conversations from "@/node/services/session/chatHistory";
import { finalText, newMessageId, type ChatMessage, type TurnOptions } from "@/common/chatMessage";
import {
  compactionRequest,
  MessageQueue,
  type OutgoingMessage,
  permissionMode,
  type SendMessageError,
  type SendMessageOptions,
  turnOptions,
} from "@/node/services/session/messageQueue";
import { Listeners, outcomeOf, type TurnOutcome } from "@/node/services/session/streamAnswer";
import { TurnRunner, type EndedTurn } from "@/node/services/session/turnRunner";
import { runSubagentStopHooks } from "@/node/services/tools/task";
import { StopHookController } from "@/wiring";

export type { AgentSessionOptions } from "@/node/services/session/toolHost";

export class AgentSession implements ToolHost, Subagent {
  readonly #options: AgentSessionOptions;
  readonly #conversation: conversations.Conversation;
  readonly #controller: StopHookController;
  readonly #runner: TurnRunner;
  readonly #chat = new Listeners<ChatEvent>();
  readonly #queue = new MessageQueue();
  readonly #background = new BackgroundTasks((text) => {
    void this.sendMessage(text, { ...this.#lastOptions, synthetic: true });
  });
  #busy = false;
  #disposed = false;
  /** Interrupts the current message. `#answered` resolves when the message has ended. */
  #interrupt = new AbortController();
  #answered: Promise<void> = Promise.resolve();
  /** Resolves when the session is idle. */
  #work: Promise<void> = Promise.resolve();
  #lastOptions: TurnOptions = {};
  #outcome: TurnOutcome | undefined;

  /** Continues the conversation in `sessionDir` if there is one. Sends no message by itself (H27). */
  static async open(
    options: AgentSessionOptions
  ): Promise<Result<AgentSession, conversations.HistoryFailure>> {
    const history = await conversations.ChatHistory.open(join(options.sessionDir, "chat.jsonl"));
    return history.map((opened) => new AgentSession(options, opened));
  }

  private constructor(options: AgentSessionOptions, history: conversations.ChatHistory) {
    const emit = (event: ChatEvent): void => {
      this.#chat.emit(event);
    };
    this.#options = options;
    this.#conversation = new conversations.Conversation(history, options.workspaceId, emit);
    this.#controller = new StopHookController({
      runtime: options.runtime,
      projectDir: options.projectDir,
      event: options.subagent === undefined ? "Stop" : "SubagentStop",
      onEvent: emit,
      model: createHookModel(options, () => this.#lastOptions.model ?? options.defaults.model),
      ...options.hooks,
      turn: options.subagent?.turn,
    });
    this.#controller.restore(continuationsInTurn(history.messages));
    this.#runner = new TurnRunner({
      session: options,
      conversation: this.#conversation,
      controller: this.#controller,
      tools: new Map(options.createTools(this).map((tool) => [tool.name, tool])),
      queue: this.#queue,
      emit,
      runStopHooks: (turn) => this.runStopHooks(turn),
    });
  }

  get taskId(): string {
    return this.#options.workspaceId;
  }

  get runtime(): HookRuntime {
    return this.#options.runtime;
  }

  get projectDir(): string {
    return this.#options.projectDir;
  }

  get isSubagent(): boolean {
    return this.#options.subagent !== undefined;
  }

  /** The absolute path of `chat.jsonl`. */
  get transcriptPath(): string {
    return this.#conversation.history.path;
  }

  get messages(): readonly ChatMessage[] {
    return this.#conversation.history.messages;
  }

  /** Whether the last turn continued because a hook requested it (H25). */
  get stopHookActive(): boolean {
    return this.#controller.stopHookActive;
  }

  /** Also true while hooks run: a turn is not over before they allow the stop. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Returns a function that unsubscribes. A listener that throws has no effect on others. */
  onChatEvent(listener: (event: ChatEvent) => void): () => void {
    return this.#chat.add(listener);
  }

  /**
   * Sends a message, or queues it while the session is busy. Resolves when the message is on disk. Chat events and
   * {@link idle} report the answer.
   */
  async sendMessage(
    text: string,
    options: SendMessageOptions = {}
  ): Promise<Result<void, SendMessageError>> {
    const refusal = this.#refusal(text, options);
    if (refusal !== undefined) return err(refusal);
    const message: OutgoingMessage = { kind: "user", text, options };
    const first = this.#queue.isEmpty || options.editMessageId !== undefined;
    if (!this.#busy && first) return await this.#start(message);
    this.#enqueue(message);
    return await this.sendQueuedMessages();
  }

  /** Queues a message until the turn ends, or until {@link sendQueuedMessages} if no turn runs. */
  queueMessage(text: string, options: SendMessageOptions = {}): Result<void, SendMessageError> {
    const refusal = this.#refusal(text, options);
    if (refusal !== undefined) return err(refusal);
    this.#enqueue({ kind: "user", text, options });
    return ok(undefined);
  }

  /** Sends the queued messages. A busy session does so by itself at the end of its turn. */
  async sendQueuedMessages(): Promise<Result<void, SendMessageError>> {
    if (this.#busy || this.#disposed) return ok(undefined);
    const message = this.#takeQueued();
    return message === undefined ? ok(undefined) : await this.#start(message);
  }

  /** Retries: answers the last row of the history again, as a new turn (H25). */
  async resumeStream(options?: TurnOptions): Promise<Result<void, SendMessageError>> {
    if (this.#disposed) return err(DISPOSED);
    if (this.#busy) return err(BUSY);
    if (this.messages.length === 0) {
      return err({ type: "unknownMessage", message: "the session has no message to answer" });
    }
    return await this.#start({ kind: "retry", text: "", options: options ?? this.#lastOptions });
  }

  /** Compacts the history, now or at the end of the turn. Runs no hooks, and does not change the counter (H27, H28). */
  async compact(): Promise<Result<void, SendMessageError>> {
    if (this.#disposed) return err(DISPOSED);
    this.#enqueue(compactionRequest(this.#lastOptions));
    return await this.sendQueuedMessages();
  }

  /**
   * Handles the user's Escape: ends the stream, tools, hooks and sub-agents, and sends nothing (H22). Returns queued
   * messages to the input. Resolves when the turn is over.
   */
  async interruptStream(): Promise<void> {
    const cancelled = this.#background.cancelAll();
    if (this.#busy) {
      this.#restoreToInput(this.#queue.interrupt());
      this.#stopNow();
    }
    await Promise.all([this.#answered, cancelled]);
  }

  /** Resolves with the outcome of the last turn, when nothing runs and nothing more will be sent by itself. */
  async idle(): Promise<TurnOutcome | undefined> {
    while (this.#busy) await this.#work;
    return this.#outcome;
  }

  /** Ends everything that runs. The history is kept; queued messages are dropped. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#stopNow();
    await Promise.all([this.#work, this.#background.cancelAll(), this.#controller.dispose()]);
  }

  async openSubagent({ agentType, aiService }: SubagentRequest): Promise<Result<Subagent, string>> {
    if (this.#disposed) return err(DISPOSED.message);
    const taskId = `task-${randomBytes(5).toString("hex")}`;
    const { workspaceId, sessionDir, defaults } = this.#options;
    // A sub-agent has the model of its parent's turn, but uses plan mode only if it is a planner itself.
    const { model, thinkingLevel } = { ...defaults, ...this.#lastOptions };
    const { turn } = this.#controller;
    const opened = await AgentSession.open({
      ...this.#options,
      workspaceId: taskId,
      sessionDir: join(sessionDir, "subagents", taskId),
      defaults: { model, agentId: agentType, thinkingLevel },
      aiService: aiService ?? this.#options.aiService,
      subagent: {
        agentType,
        parentSessionId: workspaceId,
        parentTranscriptPath: this.transcriptPath,
        turn,
      },
    });
    if (opened.isErr()) return err(opened.error.message);
    opened.value.onChatEvent((event) => {
      if (isHookEvent(event)) this.#chat.emit(event);
    });
    return ok(opened.value);
  }

  runInBackground(task: BackgroundTask, run: (signal: AbortSignal) => Promise<string>): void {
    this.#background.run(task, this.#disposed ? () => run(AbortSignal.abort()) : run);
  }

  /** Runs the Stop hooks of a turn that ended, or the SubagentStop hooks of a sub-agent, and returns their verdict. */
  private async runStopHooks({ options, ending, ...turn }: EndedTurn): Promise<StopVerdict> {
    const { workspaceId, projectDir, internalAgent = false, subagent } = this.#options;
    const { parts, metadata } = ending;
    const ended = {
      ...turn,
      internalAgent,
      hasQueuedInput: () => this.#queue.hasInput,
      input: {
        session_id: workspaceId,
        transcript_path: this.transcriptPath,
        cwd: projectDir,
        permission_mode: permissionMode(options),
        last_assistant_message: finalText(parts),
        background_tasks: this.#background.list(),
        session_crons: [],
        ...modelFields({
          model: metadata.model,
          thinkingLevel: options.thinkingLevel,
          contextWindowUsed: metadata.contextWindowUsed,
        }),
      },
    };
    return subagent === undefined
      ? await this.#controller.turnEnded(ended)
      : await runSubagentStopHooks(this.#controller, ended, subagent, parts);
  }

  #refusal(text: string, { editMessageId }: SendMessageOptions): SendMessageError | undefined {
    if (this.#disposed) return DISPOSED;
    if (text.trim() === "") return { type: "empty", message: "the message is empty" };
    if (editMessageId === undefined) return undefined;
    if (this.#busy) return BUSY;
    if (this.#conversation.canEdit(editMessageId)) return undefined;
    return { type: "unknownMessage", message: `${editMessageId} is not a message of the user` };
  }

  #enqueue(message: OutgoingMessage): void {
    this.#queue.add(message);
    this.#queueChanged();
  }

  #takeQueued(): OutgoingMessage | undefined {
    const message = this.#queue.take();
    if (message?.kind === "user") this.#queueChanged();
    return message;
  }

  #queueChanged(): void {
    const { workspaceId } = this.#options;
    const queuedMessages = this.#queue.typed;
    this.#chat.emit({ type: "queued-message-changed", workspaceId, queuedMessages });
  }

  #stopNow(): void {
    this.#controller.cancel();
    this.#interrupt.abort();
  }

  /** Resolves when the first message is on disk, or with the reason why it is not. */
  async #start(first: OutgoingMessage): Promise<Result<void, SendMessageError>> {
    this.#busy = true;
    return await new Promise((accepted) => {
      this.#work = this.#run(first, accepted);
    });
  }

  /** Processes messages one after another. No message can arrive between the last look at the queue and being idle. */
  async #run(
    first: OutgoingMessage,
    accepted: (result: Result<void, SendMessageError>) => void
  ): Promise<void> {
    let message: OutgoingMessage | undefined = first;
    while (message !== undefined) {
      this.#interrupt = new AbortController();
      const answer = this.#answer(message, accepted);
      this.#answered = answer.then(() => undefined);
      const goOn = await answer;
      // A message typed after an interrupt is sent; those typed before it were returned to the input.
      const typedSince = this.#interrupt.signal.aborted && this.#queue.typed.length > 0;
      message = !this.#disposed && (goOn || typedSince) ? this.#takeQueued() : undefined;
    }
    this.#busy = false;
  }

  async #answer(
    message: OutgoingMessage,
    accepted: (result: Result<void, SendMessageError>) => void
  ): Promise<boolean> {
    const { signal } = this.#interrupt;
    try {
      if (message.kind !== "compaction") this.#lastOptions = turnOptions(message.options);
      const begun = await this.#runner.begin(message);
      accepted(begun);
      if (begun.isErr()) return this.#broken(message, begun.error.message);
      const { outcome, goOn } = await this.#runner.answer(message, signal);
      this.#outcome = outcome;
      return goOn;
    } catch (thrown) {
      const error = `the session failed: ${describeError(thrown)}`;
      accepted(err({ type: "history", message: error }));
      return this.#broken(message, error);
    }
  }

  /** Handles a message that could not be sent at all: returns a typed one to the input. */
  #broken({ kind, text, options }: OutgoingMessage, error: string): false {
    const { workspaceId } = this.#options;
    const messageId = newMessageId("assistant");
    this.#outcome = outcomeOf("error", [], error);
    this.#queue.dropOwn();
    this.#chat.emit({ type: "stream-error", workspaceId, messageId, error, errorType: "unknown" });
    if (kind === "user" && options.synthetic !== true) this.#restoreToInput([text]);
    return false;
  }

  #restoreToInput(typed: readonly string[]): void {
    if (typed.length === 0) return;
    const { workspaceId } = this.#options;
    this.#queueChanged();
    this.#chat.emit({ type: "restore-to-input", workspaceId, text: typed.join("\n") });
  }
}

const DISPOSED: SendMessageError = { type: "disposed", message: "the session is closed" };
const BUSY: SendMessageError = {
  type: "busy",
  message: "the agent is busy; interrupt it first, or wait for the end of its turn",
};
