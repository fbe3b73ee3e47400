/**
 * An agent that follows a script in place of a model, for `mux-stop-hooks hooks run`, demonstrations and tests. It
 * calls the real tools of the session, and its sub-agents follow scripts of their own.
 */
import { randomUUID } from "node:crypto";
import { err, ok, type Result } from "neverthrow";
import { REPORT_TOOL } from "@/common/chatMessage";
import { describeError } from "@/common/errors";
import type * as aiService from "@/node/services/session/aiServiceTypes";
import { Listeners, MessageDraft } from "@/node/services/session/streamAnswer";
import type * as scripts from "@/node/services/session/scriptedTurns";
import { toolFailure } from "@/node/services/session/toolHost";

/** The turn after the end of the script. */
const AFTERWARDS: scripts.ScriptedTurn = [{ say: "There is nothing left to do." }];

/**
 * Plays the turns of a script: streams their texts, carries out their tool calls, and gives tasks to sub-agents, which
 * play scripts of their own.
 */
export class ScriptedAIService implements aiService.AIService {
  readonly #listeners = new Listeners<aiService.AIServiceEvent>();
  readonly #running = new Map<string, { abort: AbortController; finished: Promise<void> }>();
  readonly #turns: scripts.ScriptedTurn[];

  constructor({ turns }: scripts.TurnScript) {
    this.#turns = [...turns];
  }

  onEvent(listener: (event: aiService.AIServiceEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  streamMessage(
    request: aiService.StreamRequest,
    { abortSignal }: { readonly abortSignal: AbortSignal }
  ): Promise<Result<void, aiService.StreamFailure>> {
    const { workspaceId } = request;
    if (this.#running.has(workspaceId)) {
      const error = `the agent in the workspace ${workspaceId} is busy; wait for the end of its turn`;
      return Promise.resolve(err({ error, errorType: "unknown" }));
    }
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, abortSignal]);
    this.#running.set(workspaceId, { abort, finished: this.#play(request, signal) });
    return Promise.resolve(ok(undefined));
  }

  async stopStream(workspaceId: string): Promise<void> {
    const running = this.#running.get(workspaceId);
    running?.abort.abort();
    await running?.finished;
  }

  async #play(request: aiService.StreamRequest, signal: AbortSignal): Promise<void> {
    const stream = new ScriptedStream(request, signal, (event) => {
      this.#listeners.emit(event);
    });
    const ending = await stream.play(this.#turns.shift() ?? AFTERWARDS);
    // A listener may start the next stream as soon as it receives the end.
    this.#running.delete(request.workspaceId);
    this.#listeners.emit(ending);
  }
}

/** Code points per delta: few enough that a sentence takes several. */
const DELTA_LENGTH = 40;

class ScriptedStream {
  readonly #draft = new MessageDraft();
  readonly #ids;

  constructor(
    private readonly request: aiService.StreamRequest,
    private readonly signal: AbortSignal,
    private readonly emit: (event: aiService.StreamProgressEvent) => void
  ) {
    const { workspaceId, messageId } = request;
    this.#ids = { workspaceId, messageId };
  }

  /** Plays a turn. Resolves with the end, which the caller has to emit. Never rejects; an abort ends it at any step. */
  async play(turn: scripts.ScriptedTurn): Promise<aiService.StreamEnding> {
    const { model, historySequence } = this.request;
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

  async #do(step: scripts.ScriptedStep): Promise<aiService.StreamEnding | undefined> {
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
    if (task !== undefined) await Promise.all(task.map((one) => this.#startTask(one)));
    if (report !== undefined) await this.#call(REPORT_TOOL, { reportMarkdown: report });
    if (ask !== undefined) {
      this.#startCall("ask_user_question", { question: ask });
      return this.#end("tool-calls");
    }
    if (fail !== undefined) {
      return { type: "error", ...this.#ids, error: fail.error, errorType: fail.type };
    }
    if (finish === undefined) return undefined;
    return this.#end(finish === "refusal" ? "content-filter" : finish);
  }

  #say(text: string): void {
    const pieces = text.match(new RegExp(`.{1,${DELTA_LENGTH}}`, "gsu")) ?? [];
    for (const delta of pieces) {
      if (this.signal.aborted) return;
      this.#emit({ type: "stream-delta", ...this.#ids, delta, timestamp: Date.now() });
    }
  }

  async #startTask({ agent, prompt, turns, background }: scripts.ScriptedTask): Promise<void> {
    const input = { subagent_type: agent, prompt, ...(background && { run_in_background: true }) };
    await this.#call("task", input, new ScriptedAIService({ turns }));
  }

  async #call(
    toolName: string,
    args: unknown,
    subagentService?: aiService.AIService
  ): Promise<void> {
    const toolCallId = this.#startCall(toolName, args);
    const result = await this.request.tools.get(toolName)?.execute(args, {
      toolCallId,
      abortSignal: this.signal,
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

  #aborted(): aiService.StreamEnding | undefined {
    if (!this.signal.aborted) return undefined;
    return { type: "stream-abort", ...this.#ids, abortReason: "user" };
  }

  #end(finishReason: string): aiService.StreamEnding {
    const { model, historySequence } = this.request;
    const metadata = { model, historySequence, finishReason };
    return { type: "stream-end", ...this.#ids, metadata, parts: this.#draft.parts };
  }

  #emit(event: aiService.StreamProgressEvent): void {
    this.#draft.apply(event);
    this.emit(event);
  }
}
