/** Reads that cost a round trip only if something has changed (H7). */
import { err, ok, type Result } from "neverthrow";
import { KIB } from "@/common/limits";
import type { FileFailure, FileStat, PresentStat } from "@/node/runtime/HookRuntime";
import type { ReadableFiles } from "@/node/services/hooks/contract/builtinHooks";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import { fileMissing } from "@/node/services/hooks/messages/shared";

/** Maximum size of a cached file. A larger one is read each time. */
const MAX_KEPT_BYTES = 32 * KIB;

/** Returns the files of a machine, with batched stats and with the earlier content of files that have not changed. */
export function cachedReads({ files, stats, memory }: MachineView): ReadableFiles {
  const find = async (path: string): Promise<Result<PresentStat, FileFailure>> => {
    const [stat] = await stats.stat([path]);
    return present(path, stat);
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

function present(path: string, stat: FileStat | undefined): Result<PresentStat, FileFailure> {
  if (stat?.kind === "failed") return err(stat.failure);
  if (stat !== undefined && stat.kind !== "missing") return ok(stat);
  return err({ path, code: "ENOENT", message: fileMissing(path) });
}
