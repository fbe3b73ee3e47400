/**
 * The file of the checks that passed, and of their history. A check with the same inputs does not run again (G21). Both
 * are in one file, because each file costs a round trip on a remote workspace.
 */
import { ok, type Result } from "neverthrow";
import * as z from "zod/mini";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { CheckHistory, historySchema } from "@/node/services/gauntlet/gates/CheckHistory";

/** Beyond this number the oldest are removed. Each takes about 100 bytes of the file. */
const MAX_PASSES = 1000;
const MAX_FILE_BYTES = MIB;

const cacheSchema = z.object({
  version: z.literal(1),
  passes: z.array(z.tuple([z.string().check(z.regex(/^[0-9a-f]{64}$/)), z.iso.datetime()])),
  history: z.optional(historySchema),
});

export class CheckCache {
  readonly #files: Files;
  readonly #path: string;
  /** The time at which each key passed, the latest last. */
  readonly #passes: Map<string, string>;
  #isChanged = false;

  readonly history: CheckHistory;

  private constructor(
    files: Files,
    path: string,
    { passes, history }: { passes?: [string, string][]; history?: z.output<typeof historySchema> }
  ) {
    this.#files = files;
    this.#path = path;
    this.#passes = new Map(passes);
    this.history = new CheckHistory(history);
  }

  /** Opens the cache. A missing, unreadable or invalid file is an empty cache. */
  static async open(files: Files, path: string): Promise<CheckCache> {
    const bytes = await files.readFile(path, { maxBytes: MAX_FILE_BYTES });
    const json = bytes.map((data) => Buffer.from(data).toString("utf8")).andThen(parseJson);
    const { data } = cacheSchema.safeParse(json.unwrapOr(undefined), { jitless: true });
    return new CheckCache(files, path, data ?? {});
  }

  /**
   * Returns the time of the pass in ISO 8601, or undefined if there was none.
   *
   * @param key the SHA-256 of the check's definition and inputs
   */
  get(key: string): string | undefined {
    return this.#passes.get(key);
  }

  /** Adds a pass. Failures are never cached, nor are flaky passes (G36) and results from the cache itself. */
  put(key: string, { outcome, cachedSince, flaky }: GateResult, now: Date): void {
    if (outcome !== "passed" || cachedSince !== undefined || flaky === true) return;
    this.#passes.delete(key);
    this.#passes.set(key, now.toISOString());
    this.#isChanged = true;
    for (const oldest of this.#passes.keys()) {
      if (this.#passes.size <= MAX_PASSES) break;
      this.#passes.delete(oldest);
    }
  }

  async save(): Promise<Result<void, FileFailure>> {
    if (!this.#isChanged && !this.history.isChanged) return ok(undefined);
    const content = { version: 1, passes: [...this.#passes], history: this.history.entries };
    const saved = await this.#files.writeFile(this.#path, `${JSON.stringify(content)}\n`, {
      isDisposable: true,
    });
    if (saved.isOk()) this.#isChanged = false;
    return saved;
  }
}
