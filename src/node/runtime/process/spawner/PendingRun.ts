import { setMaxListeners } from "node:events";
import { KILL_GRACE_MS } from "@/common/limits";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { ExecEnd, ExecResult } from "@/node/runtime/HookRuntime";

/** How long the spawner may take to reply after a program's time limit or cancellation. */
const ANSWER_MS = KILL_GRACE_MS + 10_000;

interface RunStarter {
  cancel(): void;
  /** Gives up a spawner that does not reply. */
  giveUp(): void;
}

/** A run in the spawner, as its host sees it. It gets a result even if the spawner is lost. */
export class PendingRun {
  readonly result: Promise<ExecResult>;
  readonly #limits: RunLimits;
  readonly #spawner: RunStarter;
  readonly #start = performance.now();
  #resolve!: (result: ExecResult) => void;
  #watch: NodeJS.Timeout | undefined;
  #leader: number | undefined;
  /** The end to report if the spawner reports none. */
  #assumed: ExecEnd | undefined;

  constructor(limits: RunLimits, spawner: RunStarter) {
    this.#limits = limits;
    this.#spawner = spawner;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
    const { signal, timeoutMs } = limits;
    if (timeoutMs !== undefined) this.#giveUpAfter(timeoutMs + ANSWER_MS, { kind: "timedOut" });
    // Node warns of a leak above 10 listeners, and a stop may run more hooks. Each listener is removed again.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    signal?.addEventListener("abort", this.#cancel, { once: true });
    if (signal?.aborted) this.#expectCancelled();
  }

  started(leader: number): void {
    this.#leader = leader;
  }

  output(text: string, isError: boolean): void {
    this.#limits.onOutput?.(text, isError);
  }

  /** Returns the footer of its log. */
  async footer(ended: Pick<ExecResult, "end" | "durationMs">): Promise<string> {
    return (await this.#limits.logTo?.footer?.(ended)) ?? "";
  }

  settle(result: ExecResult): void {
    clearTimeout(this.#watch);
    this.#limits.signal?.removeEventListener("abort", this.#cancel);
    this.#resolve(result);
  }

  /** Ends the run after the spawner was lost, and kills the process tree that the spawner started. */
  lose(reason: string): void {
    if (this.#leader !== undefined) new ProcessTree(this.#leader).signal("SIGKILL");
    this.settle({
      end: this.#assumed ?? {
        kind: "lost",
        message: `the process that started the program ended (${reason})`,
      },
      stdout: NOTHING,
      stderr: NOTHING,
      durationMs: performance.now() - this.#start,
    });
  }

  readonly #cancel = (): void => {
    this.#spawner.cancel();
    this.#expectCancelled();
  };

  #expectCancelled(): void {
    this.#assumed = { kind: "cancelled" };
    this.#giveUpAfter(ANSWER_MS, this.#assumed);
  }

  #giveUpAfter(ms: number, end: ExecEnd): void {
    clearTimeout(this.#watch);
    this.#watch = timeoutAfterPendingIo(() => {
      this.#assumed = end;
      this.#spawner.giveUp();
    }, ms);
  }
}

const NOTHING = { text: "", bytes: 0, truncated: false };
