/** Finds the reports that a command has written: files that a glob matches and that differ from before (G37). */
import { posix } from "node:path";
import picomatch from "picomatch";
import type { FileStat, HookRuntime } from "@/node/runtime/HookRuntime";
import type { FindingsSource } from "@/node/services/gauntlet/domain/findings/finding";

/** The state of each report by its absolute path. */
export type ReportStamps = ReadonlyMap<string, string>;

const MAX_VISITED = 5_000;
const MAX_DEPTH = 12;
const UNSEARCHED = new Set(["node_modules", ".git"]);

type Reads = Pick<HookRuntime, "stat" | "list">;

export function globsOf(sources: readonly FindingsSource[] | undefined): string[] {
  return (sources ?? []).flatMap((source) =>
    source.kind === "report" && source.glob !== undefined ? [source.glob] : []
  );
}

/** Returns the files of each glob. A glob that matches too many files to look at has only some. Never rejects. */
export async function stampReports(
  files: Reads,
  folder: string,
  globs: readonly string[]
): Promise<ReportStamps> {
  const found = await Promise.all(globs.map((glob) => filesOf(files, folder, glob)));
  return new Map(found.flat());
}

/** Returns the files of one glob, with the state of each. */
export async function filesOf(
  files: Reads,
  folder: string,
  glob: string
): Promise<[string, string][]> {
  const normal = posix.normalize(glob);
  const { base, isGlob } = picomatch.scan(normal);
  if (!isGlob) {
    const path = posix.join(folder, normal);
    const [stat] = await files.stat([path]);
    return stat?.kind === "file" ? [[path, stampOf(stat)]] : [];
  }
  const isMatch = picomatch(normal, { dot: true });
  const depth = normal.includes("**") ? MAX_DEPTH : normal.split("/").length;
  const found: [string, string][] = [];
  let folders = [base];
  let visited = 0;
  for (let level = 0; level < depth && folders.length > 0; level++) {
    const listed = await Promise.all(
      folders.map(async (name) => {
        const names = (await files.list(posix.join(folder, name))).unwrapOr([]);
        return names.map((entry) => posix.join(name, entry));
      })
    );
    const entries = listed
      .flat()
      .sort()
      .slice(0, MAX_VISITED - visited);
    visited += entries.length;
    const stats = await files.stat(entries.map((entry) => posix.join(folder, entry)));
    folders = [];
    for (const [i, entry] of entries.entries()) {
      const stat = stats[i];
      if (stat?.kind === "directory" && !UNSEARCHED.has(posix.basename(entry))) folders.push(entry);
      if (stat?.kind === "file" && isMatch(entry)) {
        found.push([posix.join(folder, entry), stampOf(stat)]);
      }
    }
  }
  return found;
}

/** Returns a text that differs after every write to the file. The clock of the machine does not matter. */
export function stampOf(
  stat: Extract<FileStat, { readonly kind: "file" | "directory" | "other" }>
): string {
  return [stat.identity, stat.ctimeMs, stat.mtimeMs, stat.size].join(" ");
}
