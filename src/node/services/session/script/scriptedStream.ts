/** Plays one turn of a script as the stream of one message. */
import { randomUUID } from "node:crypto";
import { describeError } from "@/common/errors";
import type { AIService, StreamRequest } from "@/node/services/session/aiService";
import { REPORT_TOOL } from "@/node/services/session/chatMessage";
import { MessageDraft } from "@/node/services/session/messageDraft";
import type { StreamEnding, StreamProgressEvent } from "@/node/services/session/streamEvents";
import { toolFailure } from "@/node/services/session/tool";
import type {
  ScriptedTask,
  ScriptedStep,
  ScriptedTurn,
} from "@/node/services/session/script/turnScript";

/** Code points per delta: few enough that a sentence takes several. */
const DELTA_LENGTH = 40;

const FINISH_REASONS = {
  stop: "stop",
  length: "length",
  refusal: "content-filter",
  error: "error",
} as const;

export interface StreamContext {
  readonly request: StreamRequest;
  readonly signal: AbortSignal;
  readonly emit: (event: StreamProgressEvent) => void;
  /** Creates the model of a sub-agent that plays these turns. */
  readonly subagentService: (turns: readonly ScriptedTurn[]) => AIService;
}

export class ScriptedStream {
  readonly #draft = new MessageDraft();
  readonly #ids;

  constructor(private readonly context: StreamContext) {
    const { workspaceId, messageId } = context.request;
    this.#ids = { workspaceId, messageId };
  }

  /** Resolves with the end, which the caller has to emit. Never rejects; an abort ends it at any step. */
  async play(turn: ScriptedTurn): Promise<StreamEnding> {
    const { model, historySequence } = this.context.request;
    try {
      this.#emit({ type: "stream-start", ...this.#ids, model, historySequence });
      for (const step of turn) {
        const ending = this.#aborted() ?? (await this.#do(step));
        if (ending !== undefined) return ending;
      }
      return this.#aborted() ?? this.#end("stop");
    } catch (thrown) {
      return { type: "error", ...this.#ids, error: describeError(thrown), errorType: "unknown" };
    }
  }

  async #do(step: ScriptedStep): Promise<StreamEnding | undefined> {
    const { say, bash, write, edit, task, report, ask, fail, finish } = step;
    if (say !== undefined) this.#say(say);
    if (bash !== undefined) await this.#call("bash", { script: bash });
    if (write !== undefined) {
      await this.#call("file_write", { file_path: write.path, content: write.content });
    }
    if (edit !== undefined) {
      const { path, find, replace } = edit;
      const input = { file_path: path, old_string: find, new_string: replace };
      await this.#call("file_edit_replace_string", input);
    }
    if (task !== undefined) await Promise.all(task.map((one) => this.#handOut(one)));
    if (report !== undefined) await this.#call(REPORT_TOOL, { reportMarkdown: report });
    if (ask !== undefined) {
      this.#startCall("ask_user_question", { question: ask });
      return this.#end("tool-calls");
    }
    if (fail !== undefined) {
      return { type: "error", ...this.#ids, error: fail.error, errorType: fail.type };
    }
    return finish === undefined ? undefined : this.#end(FINISH_REASONS[finish]);
  }

  #say(text: string): void {
    const pieces = text.match(new RegExp(`.{1,${DELTA_LENGTH}}`, "gsu")) ?? [];
    for (const delta of pieces) {
      if (this.context.signal.aborted) return;
      this.#emit({ type: "stream-delta", ...this.#ids, delta, timestamp: Date.now() });
    }
  }

  async #handOut({ agent, prompt, turns, background }: ScriptedTask): Promise<void> {
    const input = { subagent_type: agent, prompt, ...(background && { run_in_background: true }) };
    await this.#call("task", input, this.context.subagentService(turns));
  }

  async #call(toolName: string, args: unknown, subagentService?: AIService): Promise<void> {
    const toolCallId = this.#startCall(toolName, args);
    const result = await this.context.request.tools.get(toolName)?.execute(args, {
      toolCallId,
      abortSignal: this.context.signal,
      subagentService,
    });
    this.#emit({
      type: "tool-call-end",
      ...this.#ids,
      toolCallId,
      toolName,
      result: result ?? toolFailure(`this session has no tool ${toolName}`),
      timestamp: Date.now(),
    });
  }

  #startCall(toolName: string, args: unknown): string {
    const toolCallId = `call-${randomUUID()}`;
    const call = { ...this.#ids, toolCallId, toolName, args, timestamp: Date.now() };
    this.#emit({ type: "tool-call-start", ...call });
    return toolCallId;
  }

  #aborted(): StreamEnding | undefined {
    if (!this.context.signal.aborted) return undefined;
    return { type: "stream-abort", ...this.#ids, abortReason: "user" };
  }

  #end(finishReason: string): StreamEnding {
    const { model, historySequence } = this.context.request;
    const metadata = { model, historySequence, finishReason };
    return { type: "stream-end", ...this.#ids, metadata, parts: this.#draft.parts };
  }

  #emit(event: StreamProgressEvent): void {
    this.#draft.apply(event);
    this.context.emit(event);
  }
}
