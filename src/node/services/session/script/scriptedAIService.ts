/**
 * A model that follows a script: every call plays the next turn. The session's tools really run its steps: commands
 * run, files change, sub-agents work.
 */
import { err, ok, type Result } from "neverthrow";
import type { AIService, StreamFailure, StreamRequest } from "@/node/services/session/aiService";
import { Listeners } from "@/node/services/session/listeners";
import { ScriptedStream } from "@/node/services/session/script/scriptedStream";
import type { AIServiceEvent } from "@/node/services/session/streamEvents";
import type { ScriptedTurn, TurnScript } from "@/node/services/session/script/turnScript";

/** The turn after the end of the script. */
const AFTERWARDS: ScriptedTurn = [{ say: "There is nothing left to do." }];

interface RunningStream {
  readonly abort: AbortController;
  readonly finished: Promise<void>;
}

export class ScriptedAIService implements AIService {
  readonly #listeners = new Listeners<AIServiceEvent>();
  readonly #running = new Map<string, RunningStream>();
  readonly #turns: ScriptedTurn[];

  constructor({ turns }: TurnScript) {
    this.#turns = [...turns];
  }

  onEvent(listener: (event: AIServiceEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  streamMessage(
    request: StreamRequest,
    { abortSignal }: { readonly abortSignal: AbortSignal }
  ): Promise<Result<void, StreamFailure>> {
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

  async #play(request: StreamRequest, signal: AbortSignal): Promise<void> {
    const stream = new ScriptedStream({
      request,
      signal,
      emit: (event) => {
        this.#listeners.emit(event);
      },
      subagentService: (turns) => new ScriptedAIService({ turns }),
    });
    const ending = await stream.play(this.#turns.shift() ?? AFTERWARDS);
    // A listener may start the next stream as soon as it receives the end.
    this.#running.delete(request.workspaceId);
    this.#listeners.emit(ending);
  }
}
