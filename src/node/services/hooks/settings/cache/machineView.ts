/** Caches data of a machine's files from one load of settings to the next (H5, H7). */
import type { Result } from "neverthrow";
import type { Files } from "@/node/runtime/HookRuntime";
import { ConnectedReads } from "@/node/runtime/connectionErrors";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseFile";
import { StatCache } from "@/node/services/hooks/settings/cache/StatCache";
import { StatBatch } from "@/node/services/hooks/settings/cache/StatBatch";

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
