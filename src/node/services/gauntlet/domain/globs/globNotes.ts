/**
 * Finds globs and entry points that match no file of a project, and globs that older versions of this program
 * understood differently, as notes for `validate` and for the first stop (G4a).
 */
import { clip, plural, visible } from "@/common/safeText";
import { groupBy } from "@/node/services/gauntlet/domain/candidateJobs";
import * as points from "@/node/services/gauntlet/domain/entryPointFolders";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import * as matchers from "@/node/services/gauntlet/domain/globs/matchers";

export interface GlobNote {
  /** `off`: no gate of an entry point runs, or a check never does. `changed`: the meaning of the pattern changed. */
  readonly kind: "off" | "unused" | "changed";
  readonly field: matchers.GlobField | "path";
  /** The path of an entry point, the name of a check, or an empty text for `global_dependencies`. */
  readonly of: string;
  /** As written. For `changed` with a list that takes files away, the whole list changes. */
  readonly globs: readonly string[];
  readonly text: string;
}

interface Lists {
  readonly entryPoints: readonly EntryPoint[];
  readonly globalDependencies: readonly string[];
}

/** Patterns times files. The rest of a larger configuration is not examined. */
const MAX_STEPS = 3_000_000;
const MAX_SHOWN_CHARS = 120;

/** The notes about the globs of a configuration. */
export class GlobNotes {
  readonly notes: GlobNote[] = [];
  readonly #seen = new Set<string>();
  readonly #folders: readonly string[];
  /** The lists of checks. Several entry points may have one check. */
  readonly #ofChecks: PlacedList[] = [];
  #steps = 0;

  /** @param paths every file of the project, relative to it */
  constructor(
    private readonly paths: readonly string[],
    private readonly readsOld: boolean
  ) {
    this.#folders = [...new Set(paths.flatMap(points.foldersOf))];
  }

  examine({ entryPoints, globalDependencies: globs }: Lists): readonly GlobNote[] {
    // In an empty project, nothing matches anything.
    if (this.paths.length === 0) return [];
    for (const entryPoint of entryPoints) this.#entryPoint(entryPoint);
    const key = ({ field, globs, of }: PlacedList) => [JSON.stringify([field, globs, of])];
    for (const lists of groupBy(this.#ofChecks, key).values()) this.#lists(lists);
    this.#lists([{ field: "global_dependencies", globs, folder: ".", of: "", paths: this.paths }]);
    return this.notes;
  }

  #entryPoint({ path, exclude, gates }: EntryPoint): void {
    const scopes = points
      .scopesOf({ path, exclude: [] }, this.paths, this.#folders)
      .map(({ folder, covers }) => ({ folder, paths: this.paths.filter(covers) }));
    this.#steps += scopes.length * this.paths.length;
    const used = scopes.filter(({ paths }) => paths.length > 0);
    if (used.length === 0) {
      const wanted = points.normalFolder(path).toLowerCase();
      const meant = this.#folders.find((folder) => folder.toLowerCase() === wanted);
      const hint = meant === undefined ? "" : `; did you mean ${quoted(meant)}?`;
      const text = `no file of the project is in the entry point ${quoted(path)}, so its gates never run${hint}`;
      this.#add({ kind: "off", field: "path", of: path, globs: [path], text });
      return;
    }
    this.#lists(used.map((scope) => ({ ...scope, field: "exclude", globs: exclude, of: path })));
    for (const gate of gates) {
      if (gate.kind !== "check") continue;
      for (const field of ["files", "when", "inputs"] as const) {
        const list = { field, globs: gate[field] ?? [], of: gate.name };
        for (const { folder, paths } of used)
          this.#ofChecks.push(
            field === "inputs"
              ? { ...list, folder: gate.workingDirectory ?? folder, paths: this.paths }
              : { ...list, folder, paths }
          );
      }
    }
  }

  /** Examines one list of globs in each folder that it applies to. */
  #lists(lists: readonly PlacedList[]): void {
    const [first] = lists;
    if (first === undefined || first.globs.length === 0) return;
    const { field, globs, of } = first;
    const cost = globs.length * lists.reduce((sum, { paths }) => sum + paths.length, 0);
    if ((this.#steps += cost) > MAX_STEPS) return;
    const owner = field === "exclude" ? "entry point" : "check";
    const isGlobal = field === "global_dependencies";
    const name = `${quoted(field)}${isGlobal ? "" : ` of the ${owner} ${quoted(of)}`}`;
    const isUsed = (some: readonly string[]): boolean =>
      lists.some((list) => list.paths.some(matchers.newMatcher({ ...list, globs: some })));
    if ((field === "files" || field === "when") && !isUsed(globs)) {
      const text = `${name} match no file of the project, so the check never runs`;
      this.#add({ kind: "off", field, of, globs, text });
    } else {
      for (const glob of globs) {
        if (isUsed([matchers.isNegated(glob) ? glob.slice(1) : glob])) continue;
        const text = `${quoted(glob)} in ${name} matches no file of the project`;
        this.#add({ kind: "unused", field, of, globs: [glob], text });
      }
    }
    if (this.readsOld && matchers.mayDiffer(first)) this.#changes(lists, first, name);
  }

  #changes(lists: readonly PlacedList[], { field, globs, of }: PlacedList, name: string): void {
    const groups = globs.some(matchers.isNegated) ? [globs] : globs.map((glob) => [glob]);
    for (const group of groups) {
      const files = lists.flatMap(({ paths, ...list }) => {
        const some = { ...list, globs: group };
        const [now, before] = [matchers.newMatcher(some), matchers.oldMatcher(some)];
        return paths.filter((file) => now(file) !== before(file));
      });
      if (files.length === 0) continue;
      const folders = new Set(files.map((file) => file.slice(0, file.lastIndexOf("/") + 1))).size;
      const many = `${plural(files.length, "file")} in ${plural(folders, "folder")}`;
      const [glob = ""] = group;
      const text = globs.some(matchers.isNegated)
        ? `${name}: a pattern with "!" now takes files away again, which is another meaning for ${many}; until the list is written anew, files that either meaning checks are checked`
        : field === "exclude"
          ? `${quoted(glob)} in ${name} would now also take away ${many}, which are checked until the list is written anew; write ${quoted(matchers.rewritten(glob))}`
          : `${quoted(glob)} in ${name} now also takes ${many}; for those of before, write ${quoted(matchers.rewritten(glob))}`;
      this.#add({ kind: "changed", field, of, globs: group, text });
    }
  }

  #add(note: GlobNote): void {
    if (this.#seen.has(note.text)) return;
    this.#seen.add(note.text);
    this.notes.push(note);
  }
}

interface PlacedList extends matchers.GlobList {
  /** The files that it selects from. */
  readonly paths: readonly string[];
  readonly of: string;
}

function quoted(text: string): string {
  return JSON.stringify(clip(visible(text), MAX_SHOWN_CHARS));
}
