/**
 * Plans which jobs (a gate in a folder) may have to run: by changed files, by dependencies between entry points, and
 * because a gate failed and has not passed since (G10, G34). Also makes the digest of a gate's definition, by which
 * earlier passes are compared.
 */
import * as points from "@/node/services/gauntlet/domain/entryPointFolders";
import { sha256 } from "@/common/hash";
import * as gates from "@/node/services/gauntlet/domain/gate";

/** A job that may have to run, and a predicate for the changes that concern it. */
export interface Candidate {
  readonly job: Omit<gates.Job, "logName">;
  readonly covers: (file: string) => boolean;
  /** Like `covers`, but only for the entry point's own files, which a command may get (G34). */
  readonly owns: (file: string) => boolean;
}

/** A change to a file on which all folders depend (`global_dependencies`). */
export interface GlobalChange {
  readonly isGlobal: (file: string) => boolean;
  /** Every file and link of the project. */
  readonly files: readonly string[];
  /** Every folder of the project. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Returns every job that these changes or the unresolved gates may require, in configured order. `openIds` adds the
 * folders of jobs in which nothing changed since they failed, `globalChange` all folders, and `dependencies` those that
 * depend on a change.
 */
export function planCandidates(
  entryPoints: readonly gates.EntryPoint[],
  changedFiles: readonly string[],
  openIds: readonly string[],
  globalChange?: GlobalChange,
  dependencies?: Dependencies
): Candidate[] {
  const isGlobal = globalChange?.isGlobal ?? (() => false);
  const candidates = new Map<string, Candidate>();
  for (const entryPoint of entryPoints) {
    const known = entryPoint.gates.flatMap((gate) =>
      openIds.flatMap((id) => gates.folderOfJob(id, gate) ?? [])
    );
    const others = dependencies?.changesFor(entryPoint);
    const folders = [...known, ...(globalChange?.folders ?? []), ...(others?.keys() ?? [])];
    for (const { folder, covers } of points.scopesOf(entryPoint, changedFiles, folders)) {
      const scope = {
        folder,
        covers: (file: string) =>
          covers(file) || isGlobal(file) || others?.get(folder)?.has(file) === true,
        owns: covers,
      };
      for (const gate of entryPoint.gates) addJob(candidates, gate, scope);
    }
  }
  return [...candidates.values()];
}

/**
 * Adds a job. Two entry points with the same folder and gate share one job, which runs if files of either change. Two
 * gates that share only their name are two jobs.
 */
function addJob(
  candidates: Map<string, Candidate>,
  gate: gates.GateDefinition,
  { folder, covers, owns }: points.Scope & Pick<Candidate, "owns">
): void {
  for (let nth = 1; ; nth++) {
    const id = gates.jobId(gate, folder, nth);
    const twin = candidates.get(id);
    if (twin !== undefined && definitionText(twin.job.gate) !== definitionText(gate)) continue;
    candidates.set(id, {
      job: { id, entryPoint: folder, gate },
      covers: twin === undefined ? covers : (file) => twin.covers(file) || covers(file),
      owns: twin === undefined ? owns : (file) => twin.owns(file) || owns(file),
    });
    return;
  }
}

/** Returns everything about a gate except the position of its definition. */
function definitionText({ source, ...definition }: gates.GateDefinition): string {
  return JSON.stringify(definition);
}

/** Returns a digest of the definition: a pass with another digest does not count. Its location makes no difference. */
export function definitionOf(gate: gates.GateDefinition): string {
  return sha256(definitionText(gate), 32);
}

/** By folder of a package, relative to the project root, the folders of the packages that it depends on. */
export type PackageGraph = ReadonlyMap<string, readonly string[]>;

/** One folder of an entry point. */
interface Unit {
  readonly entryPoint: gates.EntryPoint;
  readonly folder: string;
  /** The changed files in it. */
  readonly own: readonly string[];
}

/** The changes of other entry points that concern an entry point, because it depends on them. */
export class Dependencies {
  readonly #units: readonly Unit[];
  readonly #byPath: ReadonlyMap<string, readonly Unit[]>;
  readonly #byFolder: ReadonlyMap<string, readonly Unit[]>;

  /**
   * @param folders every folder of the project that a glob of an entry point may match
   * @param packages the dependencies that apply to entry points without `depends_on`
   */
  constructor(
    entryPoints: readonly gates.EntryPoint[],
    changed: readonly string[],
    folders: readonly string[],
    private readonly packages: PackageGraph
  ) {
    const inFolder = groupBy(changed, (file) => [...points.foldersOf(file), file]);
    this.#units = entryPoints.flatMap((entryPoint) =>
      points.scopesOf(entryPoint, changed, folders).map(({ folder, covers }) => ({
        entryPoint,
        folder,
        own: (folder === "." ? changed : (inFolder.get(folder) ?? [])).filter(covers),
      }))
    );
    this.#byPath = groupBy(this.#units, ({ entryPoint }) => [points.normalFolder(entryPoint.path)]);
    this.#byFolder = groupBy(this.#units, ({ folder }) => [folder]);
  }

  /** Returns, by folder of this entry point, the changed files of others that it depends on. Omits folders without any. */
  changesFor(entryPoint: gates.EntryPoint): ReadonlyMap<string, ReadonlySet<string>> {
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
      : dependsOn.flatMap((path) => this.#byPath.get(points.normalFolder(path)) ?? []);
  }
}

/** Groups items. An item may have several keys. */
export function groupBy<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[]
): Map<string, T[]> {
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
