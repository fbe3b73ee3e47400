/**
 * A whole run as a separate process. Sends `ready` to its parent before the run, and the result after it.
 *
 *     gauntletRun.ts PROJECT              at once
 *     gauntletRun.ts PROJECT die-at N     ends itself with SIGKILL before its Nth operation that changes something
 *     gauntletRun.ts PROJECT wait FIFO    after it reads a byte from the FIFO
 */
import { openSync, readSync } from "node:fs";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ExecRequest, ExecResult, WriteOptions } from "@/node/runtime/HookRuntime";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";

/** Counts operations that change something. None of them begins before the last file operation has ended. */
class CountedRuntime extends LocalRuntime {
  operations = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly dieAt: number) {
    super();
  }

  #next<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => {
      this.#count();
      return act();
    });
    this.#last = done;
    return done;
  }

  #count(): void {
    if (++this.operations === this.dieAt) process.kill(process.pid, "SIGKILL");
  }

  override writeFile(path: string, data: string | Uint8Array, options?: WriteOptions) {
    return this.#next(() => super.writeFile(path, data, options));
  }

  override createFile(path: string, data: string | Uint8Array, options?: WriteOptions) {
    return this.#next(() => super.createFile(path, data, options));
  }

  override appendFile(path: string, data: string, options?: WriteOptions) {
    return this.#next(() => super.appendFile(path, data, options));
  }

  override rename(from: string, to: string) {
    return this.#next(() => super.rename(from, to));
  }

  override remove(path: string) {
    return this.#next(() => super.remove(path));
  }

  override async exec(request: ExecRequest): Promise<ExecResult> {
    await this.#last;
    this.#count();
    return await super.exec(request);
  }
}

const [projectDir = "", mode = "", value = ""] = process.argv.slice(2);
const runtime = new CountedRuntime(mode === "die-at" ? Number(value) : Infinity);

// Opening the FIFO for writing as well avoids waiting for a writer.
const barrier = mode === "wait" ? openSync(value, "r+") : undefined;
process.send?.("ready");
if (barrier !== undefined) readSync(barrier, Buffer.alloc(1));
const result = await executeRun({ runtime, projectDir, env: {} });
process.send?.({ result, operations: runtime.operations });
process.disconnect();
