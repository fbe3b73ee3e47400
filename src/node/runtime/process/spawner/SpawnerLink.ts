import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { definedOnly } from "@/common/definedOnly";
import { describeError } from "@/common/errors";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import type { FromThread, RunRequest, ToThread } from "@/node/runtime/process/spawner/messages";
import { PendingRun } from "@/node/runtime/process/spawner/PendingRun";
import type { Program } from "@/node/runtime/process/startChild";
import type { ExecResult } from "@/node/runtime/HookRuntime";

export interface LinkListeners {
  /** Called when programs can be run. */
  readonly onReady: () => void;
  /** Called when no more programs can be run and all running ones have a result. No listener is called after it. */
  readonly onLost: (reason: string) => void;
}

/** One spawner from its start to its end. Keeps the host alive until it is ready, and then while a program runs. */
export class SpawnerLink {
  readonly #thread: Worker;
  readonly #listeners: LinkListeners;
  readonly #runs = new Map<number, PendingRun>();
  #nextId = 0;
  #lostFor: string | undefined;

  /** @param dir the folder with the bundles of its thread and its process */
  constructor(dir: string, listeners: LinkListeners) {
    this.#listeners = listeners;
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
    const run = new PendingRun(limits, {
      cancel: () => {
        this.#send({ kind: "cancel", id });
      },
      giveUp: () => {
        this.#send({ kind: "kill" });
      },
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
    this.#listeners.onLost(reason);
  }

  #send(message: ToThread): void {
    this.#thread.postMessage(message);
  }

  async #sendFooter({ id, ended }: Extract<FromThread, { kind: "ended" }>): Promise<void> {
    const text = await this.#runs
      .get(id)
      ?.footer(ended)
      .catch(() => undefined);
    this.#send({ kind: "footer", id, text: text ?? "" });
  }

  #onMessage(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#thread.unref();
        this.#listeners.onReady();
        break;
      case "started":
        this.#runs.get(message.id)?.started(message.leader);
        break;
      case "output":
        this.#runs.get(message.id)?.output(message.text, message.isError);
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
