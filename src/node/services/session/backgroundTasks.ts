/** Tasks that run while the agent does other work or none. */
import { describeError } from "@/common/errors";

/** A task as hooks see it in `background_tasks` (H13). */
export interface BackgroundTask {
  readonly id: string;
  readonly type: "subagent";
  readonly description: string;
  readonly agent_type: string;
}

interface RunningTask {
  readonly task: BackgroundTask;
  readonly controller: AbortController;
  readonly finished: Promise<void>;
}

export class BackgroundTasks {
  readonly #running = new Map<string, RunningTask>();

  /** @param ended called with a message for the agent, except for a task that was cancelled */
  constructor(private readonly ended: (text: string) => void) {}

  list(): (BackgroundTask & { status: "running" })[] {
    return [...this.#running.values()].map(({ task }) => ({ ...task, status: "running" }));
  }

  run(task: BackgroundTask, work: (signal: AbortSignal) => Promise<string>): void {
    const controller = new AbortController();
    const finished = this.#finish(task.id, work(controller.signal), controller.signal);
    this.#running.set(task.id, { task, controller, finished });
  }

  /** Resolves when the last task has ended. */
  async cancelAll(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ finished }) => finished));
  }

  async #finish(id: string, work: Promise<string>, signal: AbortSignal): Promise<void> {
    const text = await work.catch((thrown: unknown) => `The task failed: ${describeError(thrown)}`);
    this.#running.delete(id);
    if (!signal.aborted) this.ended(`[Background task ${id} ended]\n${text}`);
  }
}
