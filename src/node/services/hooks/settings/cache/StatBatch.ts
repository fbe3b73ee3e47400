/** Batches the stats of one load of settings into as few calls as possible (H7). */
import type { Files, FileStat } from "@/node/runtime/HookRuntime";

/**
 * The stats of one load. The first call also requests all paths that the previous load requested, so a load that finds
 * no change costs a single round trip to the machine.
 */
export class StatBatch {
  readonly #stats = new Map<string, FileStat>();
  readonly #wanted = new Set<string>();
  #first: Promise<void> | undefined;

  constructor(
    private readonly files: Pick<Files, "stat">,
    private readonly wantedBefore: readonly string[]
  ) {}

  /** The requested paths, for the next load. */
  get wanted(): readonly string[] {
    return [...this.#wanted];
  }

  /** Returns one stat per path, in order. */
  async stat(paths: readonly string[]): Promise<FileStat[]> {
    for (const path of paths) this.#wanted.add(path);
    this.#first ??= this.#load([...this.wantedBefore, ...paths]);
    await this.#first;
    await this.#load(paths);
    return paths.map((path) => this.#stats.get(path) ?? { kind: "missing" });
  }

  async #load(paths: readonly string[]): Promise<void> {
    const unknown = [...new Set(paths)].filter((path) => !this.#stats.has(path));
    if (unknown.length === 0) return;
    const stats = await this.files.stat(unknown);
    stats.forEach((stat, i) => this.#stats.set(unknown[i] ?? "", stat));
  }
}
