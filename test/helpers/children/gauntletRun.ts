/**
 * A whole run as a separate process. Sends `ready` to its parent before the run, and the result after it.
 *
 *     gauntletRun.ts PROJECT              at once
 *     gauntletRun.ts PROJECT die-at N     ends itself with SIGKILL before its Nth operation that changes something
 */
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";

const CHANGES = ["writeFile", "createFile", "appendFile", "rename", "remove"] as const;

/** Counts operations that change something. None of them begins before the last file operation has ended. */
class CountedRuntime extends LocalRuntime {
  operations = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly dieAt: number) {
    super();
    for (const name of CHANGES) {
      const change = this[name].bind(this) as (...args: unknown[]) => Promise<unknown>;
      const counted = (...args: unknown[]): Promise<unknown> => {
        this.#last = this.#last.then(() => {
          this.#count();
          return change(...args);
        });
        return this.#last;
      };
      Object.assign(this, { [name]: counted });
    }
  }

  #count(): void {
    if (++this.operations === this.dieAt) process.kill(process.pid, "SIGKILL");
  }

  override async exec(request: ExecRequest): Promise<ExecResult> {
    await this.#last;
    this.#count();
    return await super.exec(request);
  }
}

const [projectDir = "", mode = "", value = ""] = process.argv.slice(2);
const runtime = new CountedRuntime(mode === "die-at" ? Number(value) : Infinity);

process.send?.("ready");
const result = await executeRun({ runtime, projectDir, env: {} });
process.send?.({ result, operations: runtime.operations });
process.disconnect();
