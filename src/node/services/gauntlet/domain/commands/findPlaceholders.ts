/**
 * Finds and checks `{files}`, `{files0}` and `{base}` in a command line, inserts the base, and recognizes commands that
 * compare with a commit without `{base}` (G32, G33). A quoted placeholder for files is a fault, because a shell would
 * not pass the files as separate words there.
 */

/** How a command gets its files: as words in place of `{files}`, or on standard input for `{files0}`. */
export type FilesPlaceholder = "{files}" | "{files0}";

/**
 * `word`: a placeholder is quoted, or part of a longer word. `both`: both placeholders. `scope`: a here-document or a
 * function, in which a placeholder has another meaning.
 */
export type PlaceholderFault = "word" | "both" | "scope";

export interface ParsedCommand {
  /** Absent if the command gets no files. */
  readonly placeholder?: FilesPlaceholder;
  readonly fault?: PlaceholderFault;
  /** The text around the placeholders. */
  readonly parts: readonly string[];
}

/** Replaces `{base}`, also in quotes: a commit ID means the same everywhere. `${base}` is a variable of the shell. */
export function withBase(command: string, base: string | undefined): string {
  return base === undefined ? command : command.replace(BASE, base);
}

/** Returns whether a command compares with a commit: by `{base}`, by a variable, or by a tool that reads one (G33). */
export function usesBase(command: string): boolean {
  return command.search(BASE) !== -1 || BASE_VARIABLES.test(command) || BASE_TOOLS.test(command);
}

const BASE = /(?<!\$)\{base\}/g;
const BASE_VARIABLES = /\b(?:GAUNTLET_BASE|TURBO_SCM_BASE|NX_BASE)\b/;
const BASE_TOOLS = programPattern("turbo|nx");

/** Returns an expression that matches one of these programs in a command, also in quotes or with a version. */
export function programPattern(names: string): RegExp {
  return new RegExp(String.raw`(?:^|[\s;&|("'/])(${names})(?=$|[\s;&|)"'@])`);
}

/** Parses a command line. Accepts any text; what no shell accepts is left to the shell. */
export function parseCommand(command: string): ParsedCommand {
  const { found, hasScope } = new Scanner(command).scan();
  const [first] = found;
  if (first === undefined) return { parts: [command] };
  const parts = [0, ...found.map(({ end }) => end)].map((start, i) =>
    command.slice(start, found[i]?.start)
  );
  return { placeholder: first.text, parts, fault: faultOf(found, hasScope) };
}

function faultOf(found: readonly Found[], hasScope: boolean): PlaceholderFault | undefined {
  if (found.some(({ isWord }) => !isWord)) return "word";
  if (found.some(({ text }) => text !== found[0]?.text)) return "both";
  return hasScope ? "scope" : undefined;
}

interface Found {
  readonly text: FilesPlaceholder;
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
}

/** Reads a command line as a shell would, as far as quotes, comments and substitutions are concerned. */
class Scanner {
  readonly #found: Found[] = [];
  /** The open quotes and brackets, the innermost last. */
  readonly #open: ('"' | "`" | "(" | "{")[] = [];
  #hasScope = false;
  #at = 0;

  constructor(private readonly text: string) {}

  scan(): { readonly found: readonly Found[]; readonly hasScope: boolean } {
    while (this.#at < this.text.length) this.#step();
    return { found: this.#found, hasScope: this.#hasScope };
  }

  #step(): void {
    const char = this.text[this.#at];
    const inner = this.#open.at(-1);
    if (this.#placeholder(inner !== undefined && inner !== "(")) return;
    if (char === "\\") this.#at += 2;
    else if (char === '"' || char === "`") this.#toggle(char);
    else if (char === "$") this.#dollar(inner);
    else if (inner === '"') this.#at++;
    else if (char === "'") this.#skipQuote(this.#at + 1, /[^']*/y);
    else if (char === "#" && this.#isWordStart()) this.#skipTo(/\n/g, this.#at);
    else this.#bracket(char, inner);
  }

  /** Reads a placeholder. `${files}` is a variable of the shell. */
  #placeholder(isQuoted: boolean): boolean {
    PLACEHOLDER.lastIndex = this.#at;
    const text = PLACEHOLDER.exec(this.text)?.[0];
    if (text === undefined) return false;
    const start = this.#at;
    const end = start + text.length;
    const isWord =
      !isQuoted && this.#isWordStart() && /^(?:$|[\s;&|)<>])/.test(this.text.slice(end, end + 1));
    this.#found.push({ text: text as FilesPlaceholder, start, end, isWord });
    this.#at = end;
    return true;
  }

  #isWordStart(): boolean {
    return this.#at === 0 || /[\s;&|(]/.test(this.text[this.#at - 1] ?? "");
  }

  #toggle(quote: '"' | "`"): void {
    if (this.#open.at(-1) === quote) this.#open.pop();
    else this.#open.push(quote);
    this.#at++;
  }

  #dollar(inner: string | undefined): void {
    const next = this.text[this.#at + 1];
    if (next === "(" || next === "{") {
      this.#open.push(next);
      this.#at += 2;
    } else if (next === "'" && inner !== '"') this.#skipQuote(this.#at + 2, /(?:\\[^]|[^\\'])*/y);
    else this.#at++;
  }

  #bracket(char: string | undefined, inner: string | undefined): void {
    if (char === "(") {
      const isFunction = /^\(\s*\)/.test(this.text.slice(this.#at, this.#at + 100));
      this.#hasScope ||= isFunction && this.text[this.#at - 1] !== "=";
      this.#open.push("(");
    } else if ((char === ")" && inner === "(") || (char === "}" && inner === "{")) this.#open.pop();
    else if (char === "<") {
      const before = this.text.slice(Math.max(0, this.#at - 100), this.#at);
      const isShift = before.lastIndexOf("((") > before.lastIndexOf("))");
      this.#hasScope ||= !isShift && /^<<(?!<)/.test(this.text.slice(this.#at, this.#at + 3));
    } else if (this.#isWordStart()) this.#hasScope ||= this.text.startsWith("function ", this.#at);
    if (char === "<" && this.text.startsWith("<<<", this.#at)) this.#at += 2;
    this.#at++;
  }

  /** Skips text in single quotes and the quote that ends it. A placeholder in it is a fault. */
  #skipQuote(start: number, content: RegExp): void {
    content.lastIndex = start;
    const [inside = ""] = content.exec(this.text) ?? [];
    for (const { 0: text, index } of inside.matchAll(/(?<!\$)\{files0?\}/g)) {
      const [from, end] = [start + index, start + index + text.length];
      this.#found.push({ text: text as FilesPlaceholder, start: from, end, isWord: false });
    }
    this.#at = start + inside.length + 1;
  }

  #skipTo(pattern: RegExp, from: number): void {
    pattern.lastIndex = from;
    this.#at = pattern.exec(this.text)?.index ?? this.text.length;
  }
}

const PLACEHOLDER = /\{files0?\}/y;
