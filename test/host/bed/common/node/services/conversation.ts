/** The parts of one workspace's conversation that both versions of the host share. */
import { EventEmitter } from "node:events";
import type { Config } from "@test/host/bed/common/node/config";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import { HistoryService } from "@test/host/bed/common/node/services/historyService";
import * as hookTypes from "@test/host/bed/common/node/types";

export interface ConversationParts {
  workspaceId: string;
  config: Config;
  aiService: AIService;
}

export type ChatListener = (event: { message: hookTypes.ChatEvent }) => void;

const FORWARDED = [
  ...["stream-start", "stream-delta", "stream-abort"],
  ...["tool-call-start", "tool-call-end", "usage-delta"],
];

export abstract class Conversation {
  declare activeCompactionRequest?: hookTypes.MuxMetadata | undefined;
  readonly workspaceId: string;
  protected readonly config: Config;
  protected readonly aiService: AIService;
  readonly #history: HistoryService;
  readonly #chat = new EventEmitter();
  readonly #listening: (() => void)[] = [];
  private disposed = false;

  constructor({ workspaceId, config, aiService }: ConversationParts) {
    this.workspaceId = workspaceId;
    this.config = config;
    this.aiService = aiService;
    this.#history = new HistoryService(config.getSessionDir(workspaceId));
    for (const type of FORWARDED) {
      this.listen(type, (event) => {
        this.emitChatEvent({ ...event, type });
      });
    }
    this.listen("error", (event) => {
      this.activeCompactionRequest = undefined;
      this.emitChatEvent({ ...event, type: "stream-error" });
    });
    this.listen("stream-end", (event) => {
      void this.#turnEnded(event as unknown as hookTypes.StreamEnd);
    });
  }

  abstract sendQueuedMessages(): void;
  abstract clearQueue(): void;

  /** Called after a compaction, to send its follow-up. */
  protected abstract summedUp(request: hookTypes.MuxMetadata): Promise<void>;

  /** Subscribes to new events. @returns a function that ends the subscription */
  onChatEvent(listener: ChatListener): () => void {
    this.#chat.on("event", listener);
    return () => this.#chat.off("event", listener);
  }

  /** Subscribes to all events. Past messages come first, followed by `caught-up`. */
  async subscribeChat(listener: ChatListener): Promise<() => void> {
    for (const row of await this.#history.rows())
      listener({ message: { type: "message", ...row } });
    listener({ message: { type: "caught-up" } });
    return this.onChatEvent(listener);
  }

  emitChatEvent(event: hookTypes.ChatEvent): void {
    const message = { workspaceId: this.workspaceId, ...event };
    if (!this.disposed) this.#chat.emit("event", { message });
  }

  async interruptStream(): Promise<hookTypes.Result> {
    if (!this.aiService.isStreaming(this.workspaceId)) return hookTypes.ok();
    this.clearQueue();
    return await this.aiService.stopStream(this.workspaceId, { abortReason: "user" });
  }

  async resumeStream(options: hookTypes.SendOptions): Promise<hookTypes.Result> {
    if (this.aiService.isStreaming(this.workspaceId)) return hookTypes.ok();
    return await this.streamWithHistory(options.model, options);
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    for (const stopListening of this.#listening) stopListening();
    void this.aiService.stopStream(this.workspaceId);
  }

  protected async say(
    message: string,
    options: hookTypes.SendOptions,
    { synthetic }: hookTypes.Internal = {}
  ): Promise<hookTypes.Result> {
    const { model, editMessageId, muxMetadata } = options;
    if (editMessageId !== undefined) {
      if (this.aiService.isStreaming(this.workspaceId)) await this.interruptStream();
      await this.#forgetFrom(editMessageId);
    }
    const parts: hookTypes.Part[] = [{ type: "text", text: message, timestamp: Date.now() }];
    const row = await this.#history.append("user", parts, {
      ...(muxMetadata === undefined ? {} : { muxMetadata }),
      ...(synthetic === undefined ? {} : { synthetic }),
    });
    this.emitChatEvent({ type: "message", ...row });
    if (muxMetadata?.type === "compaction-request") this.activeCompactionRequest = muxMetadata;
    return await this.streamWithHistory(model, options);
  }

  private async streamWithHistory(
    model: string,
    options: hookTypes.SendOptions
  ): Promise<hookTypes.Result> {
    if (this.disposed) return { success: false, error: "The session is gone." };
    return await Promise.resolve(
      this.aiService.streamMessage(this.workspaceId, { ...options, model })
    );
  }

  async #turnEnded(event: hookTypes.StreamEnd): Promise<void> {
    const { activeCompactionRequest: request } = this;
    if (request !== undefined) await this.#keepSummaryOnly(event.messageId);
    this.activeCompactionRequest = undefined;
    this.emitChatEvent({ ...event, type: "stream-end" });
    if (request !== undefined) await this.summedUp(request);
    this.sendQueuedMessages();
  }

  async #keepSummaryOnly(messageId: string): Promise<void> {
    const rows = await this.#history.rows();
    await this.#history.replace(rows.filter(({ id }) => id === messageId));
  }

  async #forgetFrom(messageId: string): Promise<void> {
    const rows = await this.#history.rows();
    const at = rows.findIndex(({ id }) => id === messageId);
    await this.#history.replace(rows.slice(0, at));
  }

  protected listen(type: string, hear: (event: hookTypes.ChatEvent) => void): void {
    const listener = (event: hookTypes.ChatEvent): void => {
      if (event.workspaceId === this.workspaceId) hear(event);
    };
    this.aiService.on(type, listener);
    this.#listening.push(() => this.aiService.off(type, listener));
  }
}
