import { setMaxListeners } from "node:events";
import { KILL_GRACE_MS } from "@/common/limits";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { ExecEnd, ExecResult } from "@/node/runtime/HookRuntime";

/** From the time limit of a program, or its cancellation, to when a spawner that has not answered is given up. */
const ANSWER_MS = KILL_GRACE_MS + 10_000;

interface RunStarter {
  cancel(): void;
  /** It does not answer. */
  giveUp(): void;
}

/** A program that a spawner runs, as its host sees it: has its end whatever becomes of the spawner. */
export class PendingRun {
  readonly result: Promise<ExecResult>;
  readonly #limits: RunLimits;
  readonly #spawner: RunStarter;
  readonly #start = performance.now();
  #resolve!: (result: ExecResult) => void;
  #watch: NodeJS.Timeout | undefined;
  #leader: number | undefined;
  /** How it ends where nobody tells. */
  #assumed: ExecEnd | undefined;

  constructor(limits: RunLimits, spawner: RunStarter) {
    this.#limits = limits;
    this.#spawner = spawner;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
    const { signal, timeoutMs } = limits;
    if (timeoutMs !== undefined) this.#giveUpAfter(timeoutMs + ANSWER_MS, { kind: "timedOut" });
    // A stop may have more hooks than Node expects listeners; each of them is taken off again.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    signal?.addEventListener("abort", this.#cancel, { once: true });
    if (signal?.aborted) this.#expectCancelled();
  }

  started(leader: number): void {
    this.#leader = leader;
  }

  /** Of its log. */
  async footer(ended: Pick<ExecResult, "end" | "durationMs">): Promise<string> {
    return (await this.#limits.logTo?.footer?.(ended)) ?? "";
  }

  settle(result: ExecResult): void {
    clearTimeout(this.#watch);
    this.#limits.signal?.removeEventListener("abort", this.#cancel);
    this.#resolve(result);
  }

  /** The spawner is gone, and nobody looks after what it has started. */
  lose(reason: string): void {
    if (this.#leader !== undefined) new ProcessTree(this.#leader).signal("SIGKILL");
    const message = `the process that started it is gone (${reason})`;
    this.settle({
      end: this.#assumed ?? { kind: "lost", message },
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
