/**
 * Batches and caches the reads of one load of a workspace's settings, on the user's machine and on the workspace's:
 * content is kept from one load to the next (H7), and a checkout's files have a budget (H5). Also finds the user's
 * folders of Claude Code.
 */
import { stampOf } from "@/node/runtime/fileContents";
import { posix } from "node:path";
import type * as port from "@/node/runtime/HookRuntime";
import type { BuiltinHooks, ReadableFiles } from "@/node/services/hooks/contract/builtinRegistry";
import { err, ok, type Result } from "neverthrow";
import { ConnectedReads } from "@/node/runtime/lostConnection";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseSettings";
import { KIB, MAX_CHECKOUT_BYTES, MAX_CHECKOUT_FILES, MIB } from "@/common/limits";
import { fileMissing } from "@/node/services/hooks/messages/shared";

/** Locations of the user's own files. */
export interface UserPaths {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** A project with its machines and the locations of its settings. */
export interface Workspace extends UserPaths {
  readonly runtime: port.HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** The machine of the user's files, which may be that of the workspace. */
  readonly host: MachineView;
  readonly project: MachineView;
  readonly builtins: BuiltinHooks;
}

/** The part of a workspace that is needed to read the files of Claude Code. */
export type ClaudePlace = Omit<Workspace, "builtins">;

/** A settings file as it is now, and as it last parsed. */
export interface CachedSettings {
  readonly settings: ParsedSettings;
  readonly lastGood: ParsedSettings | undefined;
}

/** The cached data about the files of one machine, which lasts as long as its `Files`. */
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
const memories = new WeakMap<port.Files, FilesMemory>();

/** Returns views of the machine of the user's files and of that of the workspace, which may be the same. */
export function viewMachines(runtime: port.HookRuntime, projectDir: string) {
  const project = new MachineView(runtime, projectDir);
  const host = runtime.isRemote ? new MachineView(runtime.host, projectDir) : project;
  return { host, project };
}

/** One machine's files, as seen by one load of one project's settings. */
export class MachineView {
  readonly files: ConnectedReads;
  readonly stats: StatBatch;
  readonly memory: FilesMemory;

  constructor(
    files: port.Files,
    private readonly projectDir: string
  ) {
    this.memory = memories.get(files) ?? new FilesMemory();
    memories.set(files, this.memory);
    this.files = new ConnectedReads(files);
    this.stats = new StatBatch(this.files, this.memory.wanted.get(projectDir) ?? []);
  }

  /** Ends the view. The next one starts with the paths that this one requested. */
  close(): void {
    const { wanted } = this.memory;
    if (wanted.size >= MAX_PROJECTS) wanted.clear();
    wanted.set(this.projectDir, this.stats.wanted);
  }
}

/**
 * The stats of one load. The first call also requests all paths that the previous load requested, so a load that finds
 * no change costs a single round trip to the machine.
 */
export class StatBatch {
  readonly #stats = new Map<string, port.FileStat>();
  readonly #wanted = new Set<string>();
  #first: Promise<void> | undefined;

  constructor(
    private readonly files: Pick<port.Files, "stat">,
    private readonly wantedBefore: readonly string[]
  ) {}

  /** The requested paths, for the next load. */
  get wanted(): readonly string[] {
    return [...this.#wanted];
  }

  /** Returns one stat per path, in order. */
  async stat(paths: readonly string[]): Promise<port.FileStat[]> {
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

/** The bytes and files that one load may still read of a checkout's settings, imported files and plugins (H5). */
export class CheckoutBudget {
  readonly #paths = new Set<string>();
  #bytes = MAX_CHECKOUT_BYTES;

  /** Returns why a file is not read, or counts it, once for each path. */
  refuse(path: string, size: number): string | undefined {
    if (this.#paths.has(path)) return undefined;
    if (size > this.#bytes || this.#paths.size >= MAX_CHECKOUT_FILES) {
      return `not read: the settings files, imported files and plugins of a checkout may have at most ${MAX_CHECKOUT_BYTES / MIB} MiB in ${MAX_CHECKOUT_FILES} files; remove some of them`;
    }
    this.#paths.add(path);
    this.#bytes -= size;
    return undefined;
  }
}

/** Maximum size of a cached file. A larger one is read each time. */
const MAX_KEPT_BYTES = 32 * KIB;

/** Returns access to the files of a machine that batches stats and reads only files that have changed. */
export function cachedReads({ files, stats, memory }: MachineView): ReadableFiles {
  const find = async (path: string): Promise<Result<port.PresentStat, port.FileFailure>> => {
    const [stat] = await stats.stat([path]);
    if (stat?.kind === "failed") return err(stat.failure);
    if (stat !== undefined && stat.kind !== "missing") return ok(stat);
    return err({ path, code: "ENOENT", message: fileMissing(path) });
  };
  return {
    stat: (paths) => stats.stat(paths),
    list: async (path) => {
      const found = await find(path);
      if (found.isErr()) return err(found.error);
      return await memory.names.get(path, found.value, () => files.list(path));
    },
    readFile: async (path, options) => {
      const found = await find(path);
      if (found.isErr()) return err(found.error);
      const { kind, size } = found.value;
      const isKept =
        kind === "file" && size <= Math.min(MAX_KEPT_BYTES, options.maxBytes) && !options.offset;
      if (!isKept) return await files.readFile(path, options);
      return await memory.contents.get(path, found.value, () => files.readFile(path, options));
    },
  };
}

/** Returns the user's folder of Claude Code, which is not absolute if the variable or the home is not. */
export function claudeConfigDir({ env, home }: UserPaths): string {
  const named = env.CLAUDE_CONFIG_DIR ?? "";
  return named === "" ? posix.join(home, ".claude") : named;
}

/** Returns the folder with the user's plugins and their lists. */
export function claudePluginDir(place: UserPaths): string {
  const named = place.env.CLAUDE_CODE_PLUGIN_CACHE_DIR ?? "";
  return named === "" ? posix.join(claudeConfigDir(place), "plugins") : named;
}

/** Returns whether `path` is `folder` or in it. Both are absolute and normalized. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

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

/** Values made from files, by path. Each is valid until the stat of its file changes. */
export class StatCache<T> {
  /** In order of use, the oldest first. */
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * Returns the cached value, or calls `make` with the previous one if the file is new or may have changed. Failures
   * are not cached.
   */
  async get<E>(
    path: string,
    stat: port.PresentStat,
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
