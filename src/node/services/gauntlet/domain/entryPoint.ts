/** Which folders an entry point stands for, and which files are theirs (§2, G8, G10). */
import picomatch from "picomatch";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";

/** A folder of an entry point, relative to the project root, and the test of what belongs to it. */
export interface Scope {
  readonly folder: string;
  readonly covers: (file: string) => boolean;
}

const OPTIONS = { dot: true } as const;

/**
 * The folders that an entry point stands for, given the files that changed: itself where it is a plain path; each
 * folder that a glob matches; the leading folder of a glob that can only match files. `known` are folders that are
 * wanted whatever changed.
 */
export function scopesOf(
  { path, exclude }: EntryPoint,
  changedFiles: readonly string[],
  known: readonly string[] = []
): Scope[] {
  const isExcluded = exclude.length === 0 ? () => false : picomatch([...exclude], OPTIONS);
  const normal = normalFolder(path);
  const { isGlob, base, glob } = picomatch.scan(normal);
  if (!isGlob) {
    // git tells of files alone, so what stands among them is one.
    const isFile = changedFiles.includes(normal);
    return [isFile ? fileScope(normal) : scope(normal, isExcluded)];
  }
  const matches = picomatch(normal, OPTIONS);
  if (matchesFilesOnly(glob)) {
    const covers = (file: string): boolean => matches(file) && !isExcluded(file);
    return [{ folder: base === "" ? "." : base, covers }];
  }
  const folders = new Set(known.filter((folder) => matches(folder)));
  for (const file of changedFiles) {
    for (const folder of foldersOf(file)) if (matches(folder)) folders.add(folder);
  }
  return [...folders].sort().map((folder) => scope(folder, isExcluded));
}

/** `package.json` as an entry point is run where it lies. */
function fileScope(path: string): Scope {
  const slash = path.lastIndexOf("/");
  return { folder: slash === -1 ? "." : path.slice(0, slash), covers: (file) => file === path };
}

function scope(folder: string, isExcluded: (file: string) => boolean): Scope {
  const isWithin = (file: string): boolean => folder === "." || file.startsWith(`${folder}/`);
  // An exclusion is written from the entry point or from the root, as people do both.
  const inside = (file: string): string => (folder === "." ? file : file.slice(folder.length + 1));
  return {
    folder,
    covers: (file) => isWithin(file) && !isExcluded(file) && !isExcluded(inside(file)),
  };
}

/** `src/**\/*.ts`, `*.md`: a last part with an extension names files. */
function matchesFilesOnly(glob: string): boolean {
  const last = glob.split("/").at(-1) ?? "";
  return /\*[^/]*\.[A-Za-z0-9{},|()]+$/.test(last);
}

function normalFolder(path: string): string {
  const trimmed = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return trimmed === "" ? "." : trimmed;
}

/** `a/b/c.ts` lies in `a/b` and `a`. */
function foldersOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}
