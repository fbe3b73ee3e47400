import type { KeyPath } from "@/node/services/gauntlet/config/source/DiagnosticList";
import type { SourceFile } from "@/node/services/gauntlet/config/source/SourceFile";
import type { YamlTree } from "@/node/services/gauntlet/config/source/parseYaml";

/** A value of a file, and its path from the root of the file. */
export interface YamlNode {
  readonly source: SourceFile;
  readonly tree: YamlTree;
  readonly path: KeyPath;
}

/** Returns the value of a key, or undefined if there is none. */
export function child({ source, tree, path }: YamlNode, key: string): YamlNode | undefined {
  const value = tree.kind === "mapping" ? tree.entries.get(key)?.value : undefined;
  return value && { source, tree: value, path: [...path, key] };
}

export function items(node: YamlNode | undefined): YamlNode[] {
  if (node?.tree.kind !== "list") return [];
  const { source, tree, path } = node;
  return tree.items.map((item, i) => ({ source, tree: item, path: [...path, i] }));
}
