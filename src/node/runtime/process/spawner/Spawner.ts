import { describeError } from "@/common/errors";
import { timeoutAfterPendingIo } from "@/node/runtime/process/waitForExit";
import type { RunLimits } from "@/node/runtime/process/runProgram";
import { runByExeca } from "@/node/runtime/process/startByExeca";
import { SpawnerLink } from "@/node/runtime/process/spawner/SpawnerLink";
import type { Program } from "@/node/runtime/process/spawnGroup";
import type { ExecResult } from "@/node/runtime/HookRuntime";

/** How long the first program waits for the spawner before it is started without it. */
const START_MS = 2_000;
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
  #hasSaidSlow = false;

  constructor(private readonly options: SpawnerOptions) {}

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
      if (thrown instanceof SlowStart) {
        this.#rest();
        return undefined;
      }
      this.#isOff = true;
      this.options.log(
        `the process that starts hooks could not be started, so hooks are started without it: ${describeError(thrown)}`
      );
      return undefined;
    }
  }

  /** Pauses the use of the spawner: a machine that is busy now may not be at a later stop. */
  #rest(): void {
    this.#link = undefined;
    this.#isResting = true;
    setTimeout(() => (this.#isResting = false), RETRY_MS).unref();
    if (this.#hasSaidSlow) return;
    this.#hasSaidSlow = true;
    this.options.log(
      `the process that starts hooks was not ready within ${START_MS / 1000} s; hooks are started without it, and it is started again after ${RETRY_MS / 1000} s`
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
      }, START_MS);
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
