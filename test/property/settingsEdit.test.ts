import fc from "fast-check";
import { parse, visit, type ParseError } from "jsonc-parser";
import { expect, test } from "vitest";
import type { JsonObject } from "@/common/json";
import { addHook, removeHooks } from "@/node/services/hooks/index";

const HOOK = { type: "command", command: "agent-gauntlet stop-hook", timeout: 300 };
const FILE = ".claude/settings.local.json";

const key = fc.constantFrom("a", "hooks ", "Stop", 'q"', "é", "//", "/*");
// The parser in the comparison treats a key `__proto__` as the prototype.
const value = fc
  .jsonValue({ maxDepth: 2 })
  .filter((json) => !JSON.stringify(json).includes("__proto__"));
const foreign = fc.dictionary(key, value, { maxKeys: 3 });
const handler = fc.constantFrom({ type: "command", command: "make" }, { type: "http" }, "odd", 7);
const group = fc.record({ hooks: fc.array(handler, { maxLength: 2 }) });
const stop = fc.array(fc.oneof(group, value), { maxLength: 3 });
const hooks = fc.tuple(foreign, fc.option(stop), foreign).map(([before, list, after]) => ({
  ...without(before, "Stop"),
  ...(list === null ? {} : { Stop: list }),
  ...without(after, "Stop"),
}));
const settings: fc.Arbitrary<JsonObject> = fc
  .tuple(foreign, fc.option(hooks), foreign)
  .map(([before, section, after]) => ({
    ...before,
    ...(section === null ? {} : { hooks: section }),
    ...after,
  }));

/** Text that may separate two tokens. */
const trivia = fc.constantFrom(
  "",
  "",
  " ",
  "\n",
  "\r\n\t",
  "\n    ",
  "// c, }\n",
  "/* ] */",
  " /*\n*/ "
);
interface Layout {
  readonly trivia: readonly string[];
  readonly trailingCommas: boolean;
  readonly mark: string;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  trivia: fc.array(trivia, { minLength: 1, maxLength: 30 }),
  trailingCommas: fc.boolean(),
  mark: fc.constantFrom("", "\uFEFF"),
});
const source = fc
  .tuple(settings, layout)
  .map(([object, how]) => ({ object, text: write(object, how) }));

/** Writes JSON with comments and unusual white space. */
function write(json: unknown, { trivia, trailingCommas, mark }: Layout): string {
  let at = 0;
  const gap = (): string => trivia[at++ % trivia.length]!;
  const list = (open: string, items: readonly string[], close: string): string => {
    const comma = trailingCommas && items.length > 0 ? `,${gap()}` : "";
    return `${open}${gap()}${items.join(`${gap()},${gap()}`)}${gap()}${comma}${close}`;
  };
  const one = (part: unknown): string => {
    if (Array.isArray(part)) return list("[", part.map(one), "]");
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    const entries = Object.entries(part).map(([name, inner]) => {
      return `${JSON.stringify(name)}${gap()}:${gap()}${one(inner)}`;
    });
    return list("{", entries, "}");
  };
  return `${mark}${gap()}${one(json)}${gap()}`;
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function withHook({ hooks: section, ...others }: JsonObject): JsonObject {
  const { Stop: list, ...events } = (section ?? {}) as { Stop?: unknown[] };
  return { ...others, hooks: { ...events, Stop: [...(list ?? []), { hooks: [HOOK] }] } };
}

function read(text: string): unknown {
  const errors: ParseError[] = [];
  const json: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return json;
}

/** Returns the text of every token and comment, except white space and commas. */
function tokensOf(text: string): string[] {
  const body = text.replace(/^\uFEFF/, "");
  const tokens: string[] = [];
  const keep = (offset: number, length: number): void => {
    tokens.push(body.slice(offset, offset + length));
  };
  visit(body, {
    onObjectBegin: keep,
    onObjectEnd: keep,
    onArrayBegin: keep,
    onArrayEnd: keep,
    onComment: keep,
    onObjectProperty: (_, offset, length) => {
      keep(offset, length);
    },
    onLiteralValue: (_, offset, length) => {
      keep(offset, length);
    },
  });
  return tokens;
}

/** Returns whether one insertion turns the first list into the second. */
function isInserted(before: readonly string[], after: readonly string[]): boolean {
  const added = after.length - before.length;
  const differs = before.findIndex((token, i) => token !== after[i]);
  const at = differs === -1 ? before.length : differs;
  // The inserted tokens may begin like the tokens that follow.
  return Array.from({ length: at + 1 }, (_, i) => at - i).some((from) =>
    before.slice(from).every((token, i) => token === after[from + added + i])
  );
}

test("a hook is added to any settings, and all other tokens stay in place (G29)", () => {
  fc.assert(
    fc.property(source, ({ object, text }) => {
      const edited = addHook(FILE, text, "Stop", HOOK)._unsafeUnwrap();
      expect(read(edited)).toEqual(withHook(JSON.parse(JSON.stringify(object)) as JsonObject));
      expect(edited.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
      expect(isInserted(tokensOf(text), tokensOf(edited))).toBe(true);
    }),
    { numRuns: 70 }
  );
});

/** Returns the settings without the lists and objects that {@link removeHooks} removes if they are empty. */
function withoutEmpty({ hooks: section, ...others }: JsonObject): JsonObject {
  if (section === undefined) return others;
  const { Stop: list, ...events } = section as { Stop?: unknown[] };
  const rest = list === undefined || list.length === 0 ? events : { ...events, Stop: list };
  return Object.keys(rest).length === 0 ? others : { ...others, hooks: rest };
}

function commentsOf(text: string): string[] {
  return tokensOf(text).filter((token) => /^\/[/*]/.test(token));
}

test("a hook that is added is removed again, and all other content and comments stay (G29)", () => {
  fc.assert(
    fc.property(source, ({ object, text }) => {
      const edited = addHook(FILE, text, "Stop", HOOK)._unsafeUnwrap();
      const removed = removeHooks(edited, "Stop", ({ command }) => command === HOOK.command);
      const before = JSON.parse(JSON.stringify(object)) as JsonObject;
      expect(withoutEmpty(read(removed) as JsonObject)).toEqual(withoutEmpty(before));
      expect(commentsOf(removed)).toEqual(commentsOf(text));
      expect(removed.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
    }),
    { numRuns: 70 }
  );
});
