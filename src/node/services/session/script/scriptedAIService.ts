/**
 * A model that follows a script: every call plays the next turn. What the script says is done really, by the tools of
 * the session: commands run, files change, sub-agents work.
 */
import { err, ok, type Result } from "neverthrow";
import type { AIService, StreamFailure, StreamRequest } from "@/node/services/session/aiService";
import { Listeners } from "@/node/services/session/listeners";
import { ScriptedStream } from "@/node/services/session/script/scriptedStream";
import type { AIServiceEvent } from "@/node/services/session/streamEvents";
import type { ScriptedTurn, TurnScript } from "@/node/services/session/script/turnScript";

/** What an agent says that has been told nothing more. */
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
      const error = `${workspaceId} has a stream already`;
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
    // Whoever hears of the end may begin the next stream at once.
    this.#running.delete(request.workspaceId);
    this.#listeners.emit(ending);
  }
}
