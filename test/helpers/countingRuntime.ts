import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { FileStat, ReadOptions } from "@/node/runtime/HookRuntime";

/** A runtime that counts its file operations. */
export class CountingRuntime extends LocalRuntime {
  stats = 0;
  reads = 0;
  lists = 0;

  /** Returns the counts since the last call. */
  take(): { stats: number; reads: number; lists: number } {
    const { stats, reads, lists } = this;
    this.stats = this.reads = this.lists = 0;
    return { stats, reads, lists };
  }

  override stat(paths: readonly string[]): Promise<FileStat[]> {
    this.stats++;
    return super.stat(paths);
  }

  override readFile(path: string, options: ReadOptions) {
    this.reads++;
    return super.readFile(path, options);
  }

  override list(path: string) {
    this.lists++;
    return super.list(path);
  }
}
