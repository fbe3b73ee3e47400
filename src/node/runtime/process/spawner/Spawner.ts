/**
 * The host's side of the spawner, a small process that starts programs because a start pauses a large host, and the
 * types of the messages between them. If the spawner cannot be started in time, the host starts programs itself; if it
 * is lost, its running programs are ended.
 */
import { deferred } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { timeoutAfterPendingIo } from "@/node/runtime/process/waitForExit";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import { runByExeca } from "@/node/runtime/process/runByExeca";
import type { Program } from "@/node/runtime/process/spawnGroup";
import type { ExecResult, ExecEnd, LogTarget } from "@/node/runtime/HookRuntime";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { setMaxListeners } from "node:events";
import { definedOnly } from "@/common/definedOnly";
import { KILL_GRACE_MS } from "@/common/limits";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import { nothingKept, type Ended } from "@/node/runtime/process/output/OutputCapture";

const START_MS = 10_000;
/** How long the host then starts its programs itself before it tries the spawner again. */
const RETRY_MS = 30_000;
/** How many losses turn the spawner off. */
const MAX_LOSSES = 3;

class SlowStart extends Error {}

export interface SpawnerOptions {
  /** The folder with the bundles of its thread and its process. */
  readonly dir: string;
  /** Called with one line when something is wrong with the spawner. */
  readonly log: (text: string) => void;
  /** How long the first program waits for the spawner before it is started without it. By default 2,000. */
  readonly startMs?: number;
}

/**
 * Runs programs from a small process of its own. Starting a program pauses a process for longer the more memory it
 * holds, which a large host must avoid. The spawner is started for the first program. If it cannot be started, the host
 * starts its programs itself.
 */
export class Spawner {
  #link: Promise<SpawnerLink | undefined> | undefined;
  #losses = 0;
  #isOff = false;
  /** Whether it was too slow a short while ago. */
  #isResting = false;
  #hasLoggedSlow = false;
  readonly #startMs: number;

  constructor(private readonly options: SpawnerOptions) {
    this.#startMs = options.startMs ?? START_MS;
  }

  /** Works like `runProgram`. If the process is lost, its running programs are ended and count as lost. */
  async run(program: Program, limits: RunLimits): Promise<ExecResult> {
    if (!this.#isOff && !this.#isResting) this.#link ??= this.#start();
    const link = await this.#link;
    return link === undefined ? runByExeca(program, limits) : link.run(program, limits);
  }

  async #start(): Promise<SpawnerLink | undefined> {
    try {
      return await this.#connect();
    } catch (thrown) {
      if (thrown instanceof SlowStart) this.#rest();
      else {
        this.#isOff = true;
        this.options.log(
          `the process that starts hooks could not be started, so hooks are started without it: ${describeError(thrown)}`
        );
      }
      return undefined;
    }
  }

  /** Pauses the use of the spawner: a machine that is busy now may not be at a later stop. */
  #rest(): void {
    this.#link = undefined;
    this.#isResting = true;
    setTimeout(() => (this.#isResting = false), RETRY_MS).unref();
    if (this.#hasLoggedSlow) return;
    this.#hasLoggedSlow = true;
    this.options.log(
      `the process that starts hooks was not ready within ${this.#startMs / 1000} s; hooks are started without it, and it is started again after ${RETRY_MS / 1000} s`
    );
  }

  #connect(): Promise<SpawnerLink> {
    return new Promise((resolve, reject) => {
      let isReady = false;
      let isSlow = false;
      const onReady = (): void => {
        isReady = true;
        clearTimeout(timer);
        resolve(link);
      };
      const onLost = (reason: string): void => {
        clearTimeout(timer);
        if (isReady) this.#lost(reason);
        else reject(isSlow ? new SlowStart() : new Error(reason));
      };
      const link = new SpawnerLink(this.options.dir, onReady, onLost);
      const timer = timeoutAfterPendingIo(() => {
        if (isReady) return;
        isSlow = true;
        link.close("it was not ready in time");
      }, this.#startMs);
    });
  }

  #lost(reason: string): void {
    this.#link = undefined;
    this.#isOff = ++this.#losses >= MAX_LOSSES;
    const next = this.#isOff
      ? "hooks are started without it from now on"
      : "the next hook starts it again";
    this.options.log(`the process that starts hooks ended (${reason}); ${next}`);
  }
}

/** The host's request to run a program. All messages between a host and its spawner are plain data. */
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
  | { readonly kind: "ended"; readonly id: number; readonly ended: Ended }
  | { readonly kind: "result"; readonly id: number; readonly result: ExecResult };

/** The thread between host and spawner forwards all messages, handles `kill` itself, and adds `lost`. */
export type ToThread = ToSpawner | { readonly kind: "kill" };
export type FromThread = FromSpawner | { readonly kind: "lost"; readonly reason: string };

/** One spawner from its start to its end. Keeps the host alive until it is ready, and then while a program runs. */
class SpawnerLink {
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
    const result = await run.result.promise;
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
  readonly result = deferred<ExecResult>();
  readonly #start = performance.now();
  #watch: NodeJS.Timeout | undefined;
  #leader: number | undefined;
  /** The end to report if the spawner reports none. */
  #assumed: ExecEnd | undefined;

  constructor(
    readonly limits: RunLimits,
    private readonly id: number,
    private readonly send: (message: ToThread) => void
  ) {
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
    this.result.resolve(result);
  }

  /** Ends the run after the spawner was lost, and kills the process tree that the spawner started. */
  lose(reason: string): void {
    if (this.#leader !== undefined) new ProcessTree(this.#leader).signal("SIGKILL");
    const message = `the process that started the program ended (${reason})`;
    this.settle({
      end: this.#assumed ?? { kind: "lost", message },
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
