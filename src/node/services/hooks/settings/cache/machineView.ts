/** Caches data of a machine's files from one load of settings to the next (H5, H7). */
import { type Result, ok } from "neverthrow";
import type { Files, FileStat, PresentStat } from "@/node/runtime/HookRuntime";
import { ConnectedReads } from "@/node/runtime/connectionErrors";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseFile";
import { stampOf } from "@/node/services/hooks/contract/fileStamp";

// Caches values that were made from files, for as long as the files do not change (H7).

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

// Batches the stats of one load of settings into as few calls as possible (H7).

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

/** A settings file as it is now, and as it last parsed. */
export interface CachedSettings {
  readonly settings: ParsedSettings;
  readonly lastGood: ParsedSettings | undefined;
}

/** One machine's files, as seen by one load of one project's settings. */
export interface MachineView {
  readonly files: ConnectedReads;
  readonly stats: StatBatch;
  readonly memory: FilesMemory;
  /** Ends the view. The next one starts with the paths that this one requested. */
  close(): void;
}

class FilesMemory {
  readonly settings = new StatCache<CachedSettings>();
  readonly scripts = new StatCache<Uint8Array>();
  /** JSON files of Claude Code that are not settings. */
  readonly documents = new StatCache<Result<unknown, string>>();
  /** SHA-256 of the programs that commands name. */
  readonly hashes = new StatCache<string>();
  /** Whether a script reads the transcript in the format of Claude Code. */
  readonly claudeReaders = new StatCache<boolean>();
  /** Main checkouts, by the `.git` file of a linked worktree. */
  readonly mainCheckouts = new StatCache<string | undefined>();
  /** Whether a folder has any entries. */
  readonly populated = new StatCache<boolean>();
  /** Small files that configure a part of a checkout, and the names in its folders. */
  readonly contents = new StatCache<Uint8Array>();
  readonly names = new StatCache<readonly string[]>();
  /** The paths that the last load of each project requested. */
  readonly wanted = new Map<string, readonly string[]>();
}

const MAX_PROJECTS = 200;
const memories = new WeakMap<Files, FilesMemory>();

export function viewMachine(files: Files, projectDir: string): MachineView {
  const memory = memories.get(files) ?? new FilesMemory();
  memories.set(files, memory);
  const reads = new ConnectedReads(files);
  const stats = new StatBatch(reads, memory.wanted.get(projectDir) ?? []);
  return {
    files: reads,
    stats,
    memory,
    close: () => {
      if (memory.wanted.size >= MAX_PROJECTS) memory.wanted.clear();
      memory.wanted.set(projectDir, stats.wanted);
    },
  };
}
