/**
 * Processes one message of an embedded session: adds it to the history, streams the answer, and runs the hooks, whose
 * continuation it queues. After an error or an interrupt no hooks run (H28); a conversation that is too long is
 * compacted, and the message is sent again.
 */
import { ok, type Result } from "neverthrow";
import * as hooks from "@/node/services/hooks/index";
import type * as aiService from "@/node/services/session/aiServiceTypes";
import type { ChatEvent } from "@/node/services/session/chatEvents";
import type { Conversation } from "@/node/services/session/chatHistory";
import { finalText, newMessageId, type MessagePart, type TurnOptions } from "@/common/chatMessage";
import * as messageQueue from "@/node/services/session/messageQueue";
import * as streams from "@/node/services/session/streamAnswer";
import type { AgentSessionOptions } from "@/node/services/session/toolHost";

export interface TurnContext {
  readonly session: AgentSessionOptions;
  readonly conversation: Conversation;
  readonly controller: hooks.StopHookController;
  readonly tools: aiService.ToolSet;
  readonly queue: messageQueue.MessageQueue;
  readonly emit: (event: ChatEvent) => void;
  readonly runStopHooks: (turn: EndedTurn) => Promise<hooks.StopVerdict>;
}

/** A turn whose stream has ended, before its hooks run. */
export interface EndedTurn {
  readonly finish: hooks.TurnFinish;
  readonly compaction: boolean;
  readonly options: TurnOptions & { readonly model: string };
  readonly ending: aiService.StreamEndEvent;
}

/** A message that is being answered. */
interface RunningTurn {
  readonly message: messageQueue.OutgoingMessage;
  /** The ID of the answer. */
  readonly messageId: string;
  readonly options: TurnOptions & { readonly model: string };
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

export interface TurnResult {
  readonly outcome: streams.TurnOutcome;
  /** Whether queued messages may be sent now. */
  readonly goOn: boolean;
}

export class TurnRunner {
  constructor(private readonly context: TurnContext) {}

  /** Begins a turn if the message requires one (H25), and adds the message to the history. */
  async begin(
    message: messageQueue.OutgoingMessage
  ): Promise<Result<void, messageQueue.SendMessageError>> {
    const { controller, conversation } = this.context;
    if (messageQueue.beginsTurn(message)) await controller.beginTurn();
    if (message.kind === "retry") return ok(undefined);
    const added = await conversation.addUser(
      message.text,
      message.options,
      messageQueue.beginsTurn(message) ? this.#leftByHooks() : undefined
    );
    return added.mapErr((failure) => ({ type: "history", message: failure.message }));
  }

  /** Returns the context for the agent from background hooks, with the heading of feedback (H11, H18). */
  #leftByHooks(): string | undefined {
    const { controller, session } = this.context;
    const continueReason = controller.takeBackgroundContext();
    if (continueReason === undefined) return undefined;
    const event = session.subagent === undefined ? "Stop" : "SubagentStop";
    return hooks.continuationMessage(event, { continueKind: "feedback", continueReason });
  }

  /** Streams the answer. Never rejects. */
  async answer(message: messageQueue.OutgoingMessage, signal: AbortSignal): Promise<TurnResult> {
    const { session, conversation, tools, queue, emit } = this.context;
    const options = { ...session.defaults, ...messageQueue.turnOptions(message.options) };
    const turn: RunningTurn = { message, options, signal, messageId: newMessageId("assistant") };
    const request = {
      workspaceId: session.workspaceId,
      messageId: turn.messageId,
      historySequence: conversation.history.nextSequence,
      model: options.model,
      options,
      messages: conversation.history.messages,
      tools: message.kind === "compaction" ? NO_TOOLS : tools,
    };
    const { ending, parts } = await streams.streamAnswer(session.aiService, request, signal, emit);
    switch (ending.type) {
      case "stream-end":
        return await this.#ended(turn, ending);
      case "stream-abort":
        await this.#storePartial(turn, parts);
        queue.dropOwn();
        emit(ending);
        return { outcome: streams.outcomeOf("interrupted", parts), goOn: false };
      case "error":
        return await this.#failed(turn, ending, parts);
    }
  }

  /** Writes the message to disk before the hooks run, and emits the end of the stream after they have decided. */
  async #ended(turn: RunningTurn, ending: aiService.StreamEndEvent): Promise<TurnResult> {
    const { conversation, controller, queue, emit, runStopHooks } = this.context;
    const { parts, metadata } = ending;
    const finish = streams.turnFinish(ending);
    const compaction = turn.message.kind === "compaction";
    const isSummary = compaction && finish === "stop";
    if (isSummary && finalText(parts).trim() === "") {
      const error = "the model returned no summary, so the history was kept; compact it again";
      return await this.#failed(turn, { error, errorType: "unknown" }, []);
    }
    const row = { ...turn.options, finishReason: metadata.finishReason };
    const stored = isSummary
      ? await conversation.summarize(turn.messageId, parts, row)
      : await conversation.addAssistant(turn.messageId, parts, row);
    if (stored.isErr()) {
      return await this.#failed(turn, { error: stored.error.message, errorType: "unknown" }, []);
    }
    const { stopHookActive } = controller;
    const ended = { finish, compaction, options: turn.options, ending };
    const verdict = turn.signal.aborted ? undefined : await runStopHooks(ended);
    const interrupted = turn.signal.aborted;
    if (verdict?.action === "continue" && !interrupted) {
      queue.add(messageQueue.continuationOf(verdict.message, turn.options));
    }
    emit({ ...ending, stopHookActive, interrupted: interrupted || undefined });
    return {
      outcome: streams.outcomeOf(interrupted ? "interrupted" : finish, parts),
      goOn: !interrupted,
    };
  }

  /** Runs no hooks for an error (H28). Compacts a conversation that is too long, and sends the message again, once. */
  async #failed(
    turn: RunningTurn,
    { error, errorType }: aiService.StreamFailure,
    parts: readonly MessagePart[]
  ): Promise<TurnResult> {
    const { session, queue, emit } = this.context;
    const { message, messageId, options } = turn;
    await this.#storePartial(turn, parts, { error, errorType });
    queue.dropOwn();
    const canSendAgain =
      (message.kind === "user" || message.kind === "continuation") &&
      message.afterOverflow !== true;
    const again = errorType === "context_exceeded" && !turn.signal.aborted && canSendAgain;
    if (again) queue.addFirst(messageQueue.afterOverflow(message, options));
    emit({ type: "stream-error", workspaceId: session.workspaceId, messageId, error, errorType });
    return { outcome: streams.outcomeOf("error", parts, error), goOn: again };
  }

  /** Stores the parts received before the end. If that fails as well, the user is still notified of the end. */
  async #storePartial(
    { messageId, options }: RunningTurn,
    parts: readonly MessagePart[],
    why: Partial<aiService.StreamFailure> = {}
  ): Promise<void> {
    if (parts.length === 0) return;
    const metadata = { ...options, ...why, partial: true };
    await this.context.conversation.addAssistant(messageId, parts, metadata);
  }
}

const NO_TOOLS: aiService.ToolSet = new Map();
