import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { setMaxListeners } from "node:events";
import { definedOnly } from "@/common/definedOnly";
import { describeError } from "@/common/errors";
import { KILL_GRACE_MS } from "@/common/limits";
import type { ExecEnd, ExecResult, LogTarget } from "@/node/runtime/HookRuntime";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { Program } from "@/node/runtime/process/spawnGroup";
import { timeoutAfterPendingIo } from "@/node/runtime/process/waitForExit";
import { nothingKept, type Ended } from "@/node/runtime/process/output/OutputCapture";

/** The messages between a host and its spawner: plain data. */
export interface RunRequest {
  readonly kind: "run";
  /** Identifies the program in later messages. */
  readonly id: number;
  readonly program: Program;
  readonly limits: Pick<RunLimits, "timeoutMs" | "keepBytes">;
  readonly log?: Omit<LogTarget, "footer"> & { readonly hasFooter: boolean };
  /** Whether the host shows the output while the program runs. */
  readonly isShown: boolean;
  /** Whether it was cancelled before it was requested. */
  readonly isCancelled: boolean;
}

export type ToSpawner =
  | RunRequest
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "footer"; readonly id: number; readonly text: string };

export type FromSpawner =
  | { readonly kind: "ready" }
  /** `leader` is the number of the process group. */
  | { readonly kind: "started"; readonly id: number; readonly leader: number }
  | {
      readonly kind: "output";
      readonly id: number;
      readonly text: string;
      readonly isError: boolean;
    }
  /** The host replies with the footer of the program's log. */
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly ended: Ended;
    }
  | { readonly kind: "result"; readonly id: number; readonly result: ExecResult };

/** The thread between host and spawner forwards all messages, handles `kill` itself, and adds `lost`. */
export type ToThread = ToSpawner | { readonly kind: "kill" };
export type FromThread = FromSpawner | { readonly kind: "lost"; readonly reason: string };

/** One spawner from its start to its end. Keeps the host alive until it is ready, and then while a program runs. */
export class SpawnerLink {
  readonly #thread: Worker;
  readonly #runs = new Map<number, PendingRun>();
  #nextId = 0;
  #lostFor: string | undefined;

  /**
   * @param dir the folder with the bundles of its thread and its process
   * @param onReady called when programs can be run
   * @param onLost called when no more programs can be run and all running ones have a result; nothing is called after it
   */
  constructor(
    dir: string,
    private readonly onReady: () => void,
    private readonly onLost: (reason: string) => void
  ) {
    // The modules that NODE_OPTIONS loads are meant for the host only.
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    // In a desktop app, `process.execPath` is the app.
    const asNode = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" };
    const env = { ...inherited, ...asNode };
    const workerData = join(dir, "spawnerProcess.cjs");
    const thread = new Worker(join(dir, "spawnerThread.cjs"), { workerData, env, execArgv: [] });
    thread.on("message", (message: FromThread) => {
      this.#onMessage(message);
    });
    thread.on("error", (error) => {
      this.close(describeError(error));
    });
    thread.on("exit", () => {
      this.close("its thread ended");
    });
    this.#thread = thread;
  }

  /** Works like `runProgram`. */
  async run(program: Program, limits: RunLimits): Promise<ExecResult> {
    const id = this.#nextId++;
    const run = new PendingRun(limits, id, (message) => {
      this.#send(message);
    });
    this.#runs.set(id, run);
    this.#thread.ref();
    if (this.#lostFor === undefined) this.#send(requestOf(id, program, limits));
    else run.lose(this.#lostFor);
    const result = await run.result;
    this.#runs.delete(id);
    if (this.#runs.size === 0) this.#thread.unref();
    return result;
  }

  /** Ends the thread. The spawner's process sees its channel close and exits. */
  close(reason: string): void {
    if (this.#lostFor !== undefined) return;
    this.#lostFor = reason;
    void this.#thread.terminate();
    for (const run of this.#runs.values()) run.lose(reason);
    this.onLost(reason);
  }

  #send(message: ToThread): void {
    this.#thread.postMessage(message);
  }

  async #sendFooter({ id, ended }: Extract<FromThread, { kind: "ended" }>): Promise<void> {
    let text: string | undefined;
    try {
      text = await this.#runs.get(id)?.limits.logTo?.footer?.(ended);
    } catch {
      // The log ends without a footer.
    }
    this.#send({ kind: "footer", id, text: text ?? "" });
  }

  #onMessage(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#thread.unref();
        this.onReady();
        break;
      case "started":
        this.#runs.get(message.id)?.started(message.leader);
        break;
      case "output":
        this.#runs.get(message.id)?.limits.onOutput?.(message.text, message.isError);
        break;
      case "ended":
        void this.#sendFooter(message);
        break;
      case "result":
        this.#runs.get(message.id)?.settle(message.result);
        break;
      case "lost":
        this.close(message.reason);
        break;
    }
  }
}

function requestOf(
  id: number,
  program: Program,
  { timeoutMs, keepBytes, logTo, signal, onOutput }: RunLimits
): RunRequest {
  const limits = definedOnly({ timeoutMs, keepBytes });
  const flags = { isShown: onOutput !== undefined, isCancelled: signal?.aborted === true };
  if (logTo === undefined) return { kind: "run", id, program, limits, ...flags };
  const { footer, ...log } = logTo;
  const hasFooter = footer !== undefined;
  return { kind: "run", id, program, limits, ...flags, log: { ...log, hasFooter } };
}

/** How long the spawner may take to reply after a program's time limit or cancellation. */
const ANSWER_MS = KILL_GRACE_MS + 10_000;

/** A run in the spawner, as its host sees it. It gets a result even if the spawner is lost. */
class PendingRun {
  readonly result: Promise<ExecResult>;
  readonly #start = performance.now();
  #resolve!: (result: ExecResult) => void;
  #watch: NodeJS.Timeout | undefined;
  #leader: number | undefined;
  /** The end to report if the spawner reports none. */
  #assumed: ExecEnd | undefined;

  constructor(
    readonly limits: RunLimits,
    private readonly id: number,
    private readonly send: (message: ToThread) => void
  ) {
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

  settle(result: ExecResult): void {
    clearTimeout(this.#watch);
    this.limits.signal?.removeEventListener("abort", this.#cancel);
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
      stdout: nothingKept(),
      stderr: nothingKept(),
      durationMs: performance.now() - this.#start,
    });
  }

  readonly #cancel = (): void => {
    this.send({ kind: "cancel", id: this.id });
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
      this.send({ kind: "kill" });
    }, ms);
  }
}
