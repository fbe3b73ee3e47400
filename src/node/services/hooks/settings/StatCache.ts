/** Caches values that were made from files, for as long as the files do not change (H7). */
import { ok, type Result } from "neverthrow";
import type { PresentStat } from "@/node/runtime/HookRuntime";

/** More than the files of any workspace, since a host may serve many. */
const MAX_ENTRIES = 256;
/** Resolution of file system clocks. A second write within one tick leaves no trace in the stat. */
const CLOCK_TICK_MS = 20;
/** Resolution for machines that report whole seconds only. */
const COARSE_TICK_MS = 2_000;

interface Entry<T> {
  readonly stamp: string;
  /** Whether the last change was more than a tick ago when the file was read. */
  readonly settled: boolean;
  readonly value: T;
}

export class StatCache<T> {
  /** In order of use, the oldest first. */
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * Returns the cached value, or calls `make` with the previous one if the file is new or may have changed. Failures
   * are not cached.
   */
  async get<E>(
    path: string,
    stat: PresentStat,
    make: (before: T | undefined) => Promise<Result<T, E>>
  ): Promise<Result<T, E>> {
    const stamp = stampOf(stat);
    const known = this.#entries.get(path);
    if (known?.stamp === stamp && known.settled) {
      this.#keep(path, known);
      return ok(known.value);
    }
    const tick = stat.ctimeMs % 1_000 === 0 ? COARSE_TICK_MS : CLOCK_TICK_MS;
    const settled = Math.abs(Date.now() - stat.ctimeMs) > tick;
    const made = await make(known?.value);
    if (made.isOk()) this.#keep(path, { stamp, settled, value: made.value });
    return made;
  }

  forget(path: string): void {
    this.#entries.delete(path);
  }

  #keep(path: string, entry: Entry<T>): void {
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    const oldest = this.#entries.size > MAX_ENTRIES ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }
}

/** Returns a stamp of a file. Equal stamps mean the same file with the same content. */
export function stampOf({ identity, size, mtimeMs, ctimeMs }: PresentStat): string {
  return `${identity} ${size} ${mtimeMs} ${ctimeMs}`;
}
