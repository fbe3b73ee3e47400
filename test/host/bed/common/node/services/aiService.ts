/** Streams the model's turns, and emits events about them. */
import { EventEmitter } from "node:events";
import { newId, type Config } from "@test/host/bed/common/node/config";
import { HistoryService } from "@test/host/bed/common/node/services/historyService";
import { LAST_CALLS } from "@test/host/bed/v0.28/node/services/lastCalls";
import { askModel } from "@test/host/bed/common/node/services/modelClient";
import * as hookTypes from "@test/host/bed/common/node/types";

export type Tool = (
  input: Record<string, unknown>,
  workspaceId: string,
  signal: AbortSignal
) => Promise<unknown>;

interface Stream {
  readonly messageId: string;
  readonly stop: AbortController;
  ended: Promise<void>;
}

interface Prompt {
  readonly role: "user";
  readonly content: hookTypes.Part[];
}

export class AIService extends EventEmitter {
  readonly tools = new Map<string, Tool>();
  readonly #streams = new Map<string, Stream>();

  constructor(private readonly config: Config) {
    super();
  }

  isStreaming(workspaceId: string): boolean {
    return this.#streams.has(workspaceId);
  }

  /** Stops a stream, and emits its end even if there was no stream. */
  async stopStream(
    workspaceId: string,
    options?: { abortReason?: string }
  ): Promise<hookTypes.Result> {
    const stream = this.#streams.get(workspaceId);
    stream?.stop.abort();
    await stream?.ended;
    const { messageId = "" } = stream ?? {};
    this.emit("stream-abort", { workspaceId, messageId, metadata: {}, ...options });
    return hookTypes.ok();
  }

  async getWorkspaceMetadata(workspaceId: string): Promise<hookTypes.Result<hookTypes.Metadata>> {
    const metadata = await Promise.resolve(this.config.workspaces.get(workspaceId));
    if (metadata === undefined) return { success: false, error: `No workspace ${workspaceId}` };
    return { success: true, data: metadata };
  }

  /** Creates a model for a single answer, with the part of the AI SDK's interface that streams. */
  async createModel(model: string): Promise<hookTypes.Result<object>> {
    const url = this.config.modelUrl;
    const answer = async function* (question: { prompt: Prompt[]; abortSignal: AbortSignal }) {
      const { prompt, abortSignal: signal } = question;
      const rows = prompt.map(({ role, content }) => ({ role, parts: content }));
      const asked = { url, model, thinkingLevel: undefined, rows, tools: [], signal };
      for await (const event of askModel(asked)) {
        if (event.type === "text") yield { type: "text-delta", id: "0", delta: event.text };
      }
      yield { type: "finish", finishReason: "stop" };
    };
    const doStream = (question: Parameters<typeof answer>[0]) =>
      Promise.resolve({ stream: answer(question) });
    return await Promise.resolve({ success: true, data: { doStream } });
  }

  /** Begins a turn after the messages in the history, and does not wait for its end. */
  streamMessage(workspaceId: string, options: hookTypes.SendOptions): hookTypes.Result {
    const stop = new AbortController();
    const messageId = `assistant-${newId()}`;
    const stream: Stream = { messageId, stop, ended: Promise.resolve() };
    this.#streams.set(workspaceId, stream);
    const { model, acpPromptId } = options;
    this.emit("stream-start", { workspaceId, messageId, model, acpPromptId });
    stream.ended = this.#stream(workspaceId, stream, options).catch((thrown: unknown) => {
      this.#streams.delete(workspaceId);
      if (stop.signal.aborted) return;
      this.emit("error", { workspaceId, messageId, error: String(thrown), errorType: "api" });
    });
    return hookTypes.ok();
  }

  async #stream(
    workspaceId: string,
    { messageId, stop }: Stream,
    options: hookTypes.SendOptions
  ): Promise<void> {
    const history = new HistoryService(this.config.getSessionDir(workspaceId));
    const parts: hookTypes.Part[] = [];
    let finishReason = "stop";
    while (await this.#step(workspaceId, parts, messageId, options, stop.signal)) {
      await this.#useTools(workspaceId, parts, stop.signal, async () => {
        await history.keepPartial(messageId, parts);
      });
      const last = parts.at(-1);
      if (last?.type !== "dynamic-tool" || !LAST_CALLS.includes(last.toolName)) continue;
      finishReason = "tool-calls";
      break;
    }
    await history.append("assistant", parts, { id: messageId });
    this.#streams.delete(workspaceId);
    const { model, muxMetadata, acpPromptId } = options;
    const isDelegated = muxMetadata?.type === "workspace-turn-task";
    const metadata = { model, finishReason, ...(isDelegated ? { muxMetadata } : {}) };
    const prompt = acpPromptId === undefined ? {} : { acpPromptId };
    const end: hookTypes.StreamEnd = { workspaceId, messageId, ...prompt, parts, metadata };
    this.emit("stream-end", end);
  }

  /** Streams one answer of the model. @returns whether it calls tools */
  async #step(
    workspaceId: string,
    parts: hookTypes.Part[],
    messageId: string,
    { model, thinkingLevel }: hookTypes.SendOptions,
    signal: AbortSignal
  ): Promise<boolean> {
    const history = new HistoryService(this.config.getSessionDir(workspaceId));
    const rows = [...(await history.rows()), ...(parts.length === 0 ? [] : [answer([...parts])])];
    const url = this.config.modelUrl;
    const tools = [...this.tools.keys()];
    let wantsTools = false;
    for await (const event of askModel({ url, model, thinkingLevel, rows, tools, signal })) {
      if (event.type === "usage") {
        this.emit("usage-delta", { workspaceId, messageId, tokens: event.tokens });
        continue;
      }
      if (event.type === "text") {
        parts.push({ type: "text", text: event.text, timestamp: Date.now() });
        this.emit("stream-delta", { workspaceId, messageId, delta: event.text });
        continue;
      }
      wantsTools = true;
      parts.push({
        type: "dynamic-tool",
        toolCallId: event.id,
        toolName: event.name,
        input: JSON.parse(event.json) as Record<string, unknown>,
        state: "input-available",
      });
    }
    signal.throwIfAborted();
    return wantsTools;
  }

  async #useTools(
    workspaceId: string,
    parts: hookTypes.Part[],
    signal: AbortSignal,
    keep: () => Promise<void>
  ): Promise<void> {
    const isOpen = (part: hookTypes.Part): part is hookTypes.ToolPart =>
      part.type === "dynamic-tool" && part.state === "input-available";
    for (const part of parts.filter(isOpen)) {
      const { toolName, toolCallId, input } = part;
      this.emit("tool-call-start", { workspaceId, toolCallId, toolName, args: input });
      part.output = await this.tools.get(toolName)?.(input, workspaceId, signal);
      part.state = "output-available";
      await keep();
      this.emit("tool-call-end", { workspaceId, toolCallId, toolName, args: input });
    }
  }
}

function answer(parts: hookTypes.Part[]): { role: "assistant"; parts: hookTypes.Part[] } {
  return { role: "assistant", parts };
}
