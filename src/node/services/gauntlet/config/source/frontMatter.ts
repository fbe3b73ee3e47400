/** A Markdown file with YAML between two lines of `---` at its beginning (G4). */

export interface FrontMatter {
  /** With its first `---`, which YAML takes as the start of a document, so that offsets are those of the file. */
  readonly yaml: string;
  readonly body: string;
}

/** Nothing where a front matter begins and never ends. */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  if (!/^---[ \t]*(?:\r?\n|$)/.test(text)) return { yaml: "", body: text };
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  if (end === null) return undefined;
  return { yaml: text.slice(0, end.index + 1), body: text.slice(end.index + end[0].length) };
}
