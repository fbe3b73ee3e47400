/** Resolves the path of an entry point, which may be a glob, to its folders and the files of each (G8, G10). */
import picomatch from "picomatch";
import { globMatcher } from "@/node/services/gauntlet/domain/globs/matchers";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";

/** A folder of an entry point, relative to the project root, and a predicate for its files. */
export interface Scope {
  readonly folder: string;
  readonly covers: (file: string) => boolean;
}

/**
 * Returns the folders of an entry point, given the changed files: the path itself if it is plain; each folder that a
 * glob matches; the leading folder of a glob that can only match files. `known` are folders that a glob may match
 * regardless of changes.
 */
export function scopesOf(
  { path, exclude, readsOld, kind }: Pick<EntryPoint, "path" | "exclude" | "readsOld" | "kind">,
  changedFiles: readonly string[],
  known: readonly string[] = []
): Scope[] {
  const excluder = (folder: string) =>
    globMatcher({ field: "exclude", globs: exclude, folder, readsOld });
  const normal = normalFolder(path);
  const { isGlob, base, glob } = picomatch.scan(normal);
  if (!isGlob) {
    // git lists links and submodules as well, but a deleted path in its list was most likely a file.
    const isFile = kind === "file" || (kind !== "directory" && changedFiles.includes(normal));
    if (!isFile) return [scope(normal, excluder(normal))];
    // The gates of a file, such as `package.json`, run in its folder.
    return [{ folder: foldersOf(normal).at(-1) ?? ".", covers: (file) => file === normal }];
  }
  const matches = picomatch(normal, { dot: true });
  if (matchesFilesOnly(glob)) {
    const folder = base === "" ? "." : base;
    const isExcluded = excluder(folder);
    return [{ folder, covers: (file) => matches(file) && !isExcluded(file) }];
  }
  const folders = new Set(known.filter((folder) => matches(folder)));
  for (const file of changedFiles) {
    for (const folder of foldersOf(file)) if (matches(folder)) folders.add(folder);
  }
  return [...folders].sort().map((folder) => scope(folder, excluder(folder)));
}

function scope(folder: string, isExcluded: (file: string) => boolean): Scope {
  // A submodule or a link is an entry of its own.
  const isWithin = (file: string): boolean => folder === "." || `${file}/`.startsWith(`${folder}/`);
  return { folder, covers: (file) => isWithin(file) && !isExcluded(file) };
}

/** Returns whether the last part has an extension, and so can match only files: `src/**\/*.ts`, `*.md`. */
function matchesFilesOnly(glob: string): boolean {
  const last = glob.split("/").at(-1) ?? "";
  return /\*[^/]*\.[A-Za-z0-9{},|()]+$/.test(last);
}

/** Returns the path of an entry point without `./` and `/` at its ends; `.` is the project root. */
export function normalFolder(path: string): string {
  const trimmed = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return trimmed === "" ? "." : trimmed;
}

/** Returns the folders that contain a file: `a` and `a/b` for `a/b/c.ts`. */
export function foldersOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}
