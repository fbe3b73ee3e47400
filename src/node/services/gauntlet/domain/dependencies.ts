/** Finds the changes of other entry points that concern an entry point, because it depends on them (G34). */
import { normalFolder, foldersOf, scopesOf } from "@/node/services/gauntlet/domain/entryPoint";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";

/** By folder of a package, relative to the project root, the folders of the packages that it depends on. */
export type PackageGraph = ReadonlyMap<string, readonly string[]>;

/** One folder of an entry point. */
interface Unit {
  readonly entryPoint: EntryPoint;
  readonly folder: string;
  /** The changed files in it. */
  readonly own: readonly string[];
}

export class Dependencies {
  readonly #units: readonly Unit[];
  readonly #byPath: ReadonlyMap<string, readonly Unit[]>;
  readonly #byFolder: ReadonlyMap<string, readonly Unit[]>;

  /**
   * @param folders every folder of the project that a glob of an entry point may match
   * @param packages the dependencies that apply to entry points without `depends_on`
   */
  constructor(
    entryPoints: readonly EntryPoint[],
    changed: readonly string[],
    folders: readonly string[],
    private readonly packages: PackageGraph
  ) {
    const inFolder = groupBy(changed, foldersOf);
    this.#units = entryPoints.flatMap((entryPoint) =>
      scopesOf(entryPoint, changed, folders).map(({ folder, covers }) => ({
        entryPoint,
        folder,
        own: (folder === "." ? changed : (inFolder.get(folder) ?? [])).filter(covers),
      }))
    );
    this.#byPath = groupBy(this.#units, ({ entryPoint }) => [normalFolder(entryPoint.path)]);
    this.#byFolder = groupBy(this.#units, ({ folder }) => [folder]);
  }

  /** Returns, by folder of this entry point, the changed files of others that it depends on. Omits folders without any. */
  changesFor(entryPoint: EntryPoint): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, ReadonlySet<string>>();
    for (const unit of this.#units) {
      if (unit.entryPoint !== entryPoint) continue;
      const files = this.#filesOf(unit);
      if (files.size > 0) found.set(unit.folder, files);
    }
    return found;
  }

  /** Follows dependencies through any number of steps, and circles once. */
  #filesOf(start: Unit): Set<string> {
    const seen = new Set([start]);
    const files = new Set<string>();
    for (const unit of seen) {
      if (unit !== start) for (const file of unit.own) files.add(file);
      for (const next of this.#next(unit)) seen.add(next);
    }
    return files;
  }

  #next({ entryPoint, folder }: Unit): readonly Unit[] {
    const { dependsOn } = entryPoint;
    return dependsOn === undefined
      ? (this.packages.get(folder) ?? []).flatMap((path) => this.#byFolder.get(path) ?? [])
      : dependsOn.flatMap((path) => this.#byPath.get(normalFolder(path)) ?? []);
  }
}

function groupBy<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}
