/** Replaces the generated parts of a page, each of which is between `<!-- generated: NAME -->` and `<!-- end -->`. */
const PART = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Throws if the page has a part without a text, or a text has no part. */
export function fillIn(page: string, texts: ReadonlyMap<string, string>): string {
  const unused = new Set(texts.keys());
  const filled = page.replace(PART, (_, begin: string, name: string, end: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`the page has an unknown part: ${name}`);
    unused.delete(name);
    return `${begin}\n${text}\n\n${end}`;
  });
  if (unused.size > 0) throw new Error(`the page has no part for ${[...unused].join(", ")}`);
  return filled;
}
