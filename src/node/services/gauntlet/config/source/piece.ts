import type { KeyPath } from "@/node/services/gauntlet/config/source/problemList";
import type { SourceText } from "@/node/services/gauntlet/config/source/sourceText";
import type { YamlTree } from "@/node/services/gauntlet/config/source/parseYaml";

/** A piece of a file, and the way to it from the file's root. */
export interface Piece {
  readonly source: SourceText;
  readonly tree: YamlTree;
  readonly path: KeyPath;
}

/** The value of a key, where it has one. */
export function pieceAt({ source, tree, path }: Piece, key: string): Piece | undefined {
  const value = tree.kind === "mapping" ? tree.entries.get(key)?.value : undefined;
  return value && { source, tree: value, path: [...path, key] };
}

export function itemsOf(piece: Piece | undefined): Piece[] {
  if (piece?.tree.kind !== "list") return [];
  const { source, tree, path } = piece;
  return tree.items.map((item, i) => ({ source, tree: item, path: [...path, i] }));
}
