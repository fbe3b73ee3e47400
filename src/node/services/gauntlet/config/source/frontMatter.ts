/** A Markdown file that begins with YAML between two lines of `---` (G4). */

export interface FrontMatter {
  /** Includes the first `---`, which YAML reads as the start of a document, so that offsets are those of the file. */
  readonly yaml: string;
  readonly body: string;
}

/** Splits a text into front matter and body. Returns undefined if the front matter is not closed. */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  if (!/^---[ \t]*(?:\r?\n|$)/.test(text)) return { yaml: "", body: text };
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  if (end === null) return undefined;
  return { yaml: text.slice(0, end.index + 1), body: text.slice(end.index + end[0].length) };
}
