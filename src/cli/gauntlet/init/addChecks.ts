/** Adds checks to a configuration that exists (G29). */
import { isDeepStrictEqual } from "node:util";
import { isCollection, parse, parseDocument, stringify, type Document } from "yaml";
import { entryPoints, rootChecks, type FirstCheck } from "@/cli/gauntlet/init/firstConfig";

/** Returns the new text, in which nothing else has changed. Returns undefined if the text cannot be edited so. */
export function addChecks(
  source: string,
  checks: readonly FirstCheck[],
  now: Date
): string | undefined {
  try {
    const top = rootChecks(checks, now);
    const entries = entryPoints(checks);
    const others = entries.length === 0 ? "" : indented(stringify(entries));
    const text = insert(insert(source, "checks", top), "entry_points", others);
    const [before, after] = [parse(source), parse(text)] as Record<"checks", object | undefined>[];
    const { checks: added = {} } = (parse(`checks:\n${top}`) ?? {}) as { readonly checks?: object };
    const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
    const wanted: Record<string, unknown> = {
      ...before,
      checks: { ...before?.checks, ...added },
      entry_points: [...list((before as Record<string, unknown>).entry_points), ...entries],
    };
    const found = { checks: {}, entry_points: [], ...after };
    return isDeepStrictEqual(found, wanted) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** @param added entries, indented by two spaces */
function insert(text: string, key: string, added: string): string {
  if (added === "") return text;
  const value = (parseDocument(text) as Document).get(key, true);
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (!isCollection(value)) return `${whole}\n${key}:\n${added}`;
  const [start = 0, valueEnd = 0] = value.range ?? [];
  const lineEnd = whole.indexOf("\n", valueEnd - 1) + 1;
  const column = start - (whole.lastIndexOf("\n", start - 1) + 1);
  return whole.slice(0, lineEnd) + indented(added, column - 2) + whole.slice(lineEnd);
}

function indented(text: string, by = 2): string {
  return by < 0
    ? text.replaceAll(new RegExp(`^ {${-by}}`, "gm"), "")
    : text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}
