/**
 * Finds where the files of a configuration have a glob or the path of an entry point, for the positions that `validate`
 * shows, and rewrites globs whose meaning changed, for `validate --fix` (G4a).
 */
import { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { readConfigFiles, type ConfigReads } from "@/node/services/gauntlet/config/readConfigFiles";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import type { GlobNote } from "@/node/services/gauntlet/domain/globs/globNotes";
import { rewritten } from "@/node/services/gauntlet/domain/globs/matchers";

/** A glob or the path of an entry point, as a value of a file. */
type Written = Pick<GlobNote, "field" | "of"> & { readonly node: SourceNode };

export class GlobLocations {
  static async read(files: ConfigReads, projectDir: string): Promise<GlobLocations> {
    const problems = new DiagnosticList();
    const { config, checks } = await readConfigFiles(files, projectDir, problems);
    const root = config && parseYaml(config, problems);
    const ofFiles = checks.flatMap(({ name, source }) => {
      const node = source && parseYaml(source, problems);
      return node === undefined ? [] : ofCheck(name, node);
    });
    return new GlobLocations([...(root === undefined ? [] : ofConfig(root)), ...ofFiles]);
  }

  private constructor(private readonly all: readonly Written[]) {}

  /** Returns where the globs of a note are written. */
  find({ field, of, globs }: GlobNote): readonly SourceNode[] {
    return this.all
      .filter((one) => one.field === field && one.of === of)
      .flatMap(({ node }) => (globs.includes(String(node.value)) ? [node] : []));
  }

  /** Returns the new texts, by the path of the file. */
  rewrite(notes: readonly GlobNote[]): ReadonlyMap<string, string> {
    const nodes = new Map<string, SourceNode>();
    for (const node of notes.flatMap((note) => this.find(note))) {
      // An alias has the position of its anchor.
      nodes.set(`${node.source.file}\0${node.span.start}`, node);
    }
    const fromEnd = [...nodes.values()].sort((a, b) => b.span.start - a.span.start);
    const texts = new Map<string, string>();
    for (const { source, span, value } of fromEnd) {
      const text = texts.get(source.file) ?? source.text;
      const glob = `'${rewritten(String(value)).replaceAll("'", "''")}'`;
      // A text in a block has a meaning that a quoted text in its place would not have.
      if (/^[|>]/.test(text.slice(span.start))) continue;
      texts.set(source.file, `${text.slice(0, span.start)}${glob}${text.slice(span.end)}`);
    }
    return texts;
  }
}

function ofConfig(root: SourceNode): Written[] {
  const global = root.child("global_dependencies")?.items ?? [];
  const top = root.child("checks")?.children ?? [];
  return [
    ...top.flatMap((node) => ofCheck(node.key, node)),
    ...global.map((node) => ({ field: "global_dependencies", of: "", node }) as const),
    ...(root.child("entry_points")?.items ?? []).flatMap((item) => {
      const path = item.child("path");
      if (path === undefined) return [];
      const of = String(path.value);
      const exclude = item.child("exclude")?.items ?? [];
      const inline = (item.child("checks")?.items ?? []).flatMap(({ children }) => children);
      return [
        { field: "path", of, node: path } as const,
        ...exclude.map((node) => ({ field: "exclude", of, node }) as const),
        ...inline.flatMap((node) => ofCheck(node.key, node)),
      ];
    }),
  ];
}

function ofCheck(of: string, check: SourceNode): Written[] {
  return (["files", "when", "inputs"] as const).flatMap((field) =>
    (check.child(field)?.items ?? []).map((node) => ({ field, of, node }))
  );
}
