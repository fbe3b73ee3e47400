/**
 * Splits a shell command line into its commands and words, to find commands that end at their first failure (G46) and
 * the scripts that they run (G20d). A pipeline is one command, with the words of its first program. Expands nothing,
 * and takes linear time.
 */

export interface ShellWord {
  readonly raw: string;
  /** Without quotes; absent if the shell would replace a part of it. */
  readonly value: string | undefined;
}

export interface ShellItem {
  /** The operator before it; `;` also for a line break and for the first command. */
  readonly operator: "&&" | "||" | ";";
  readonly text: string;
  /** Without redirections; empty for a group. */
  readonly words: readonly ShellWord[];
  /** The text in `( … )` or `{ …; }`. */
  readonly group: string | undefined;
  /** Whether it is one command without redirections. */
  readonly isSimple: boolean;
}

export interface ShellLine {
  readonly items: readonly ShellItem[];
  /** Whether a command runs in the background. */
  readonly hasBackground: boolean;
}

const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac select function [[ coproc".split(" ")
);

/**
 * Parses a line. Returns undefined if it is not a plain list of commands, because of a loop, a function, a
 * here-document or an open quote.
 */
export function parseShellLine(text: string): ShellLine | undefined {
  return new Parser(text).parse();
}

class Parser {
  readonly #items: ShellItem[] = [];
  #at = 0;
  #hasBackground = false;
  #operator: ShellItem["operator"] = ";";
  #start = 0;
  /** The end of the last word. */
  #last = 0;
  #words: ShellWord[] = [];
  #group: string | undefined;
  #isSimple = true;
  /** Whether the next word is the target of a redirection. */
  #isTarget = false;
  /** Whether this is a later command of a pipeline, whose words do not count. */
  #isLaterInPipe = false;
  /** Whether the last word was a `|`, after which a line break does not end the pipeline. */
  #isAfterPipe = false;

  constructor(private readonly text: string) {}

  parse(): ShellLine | undefined {
    while (this.#at < this.text.length) if (!this.#step()) return undefined;
    this.#end(";");
    return { items: this.#items, hasBackground: this.#hasBackground };
  }

  /** Returns false if the line cannot be split. */
  #step(): boolean {
    const two = this.text.slice(this.#at, this.#at + 2);
    const char = two.charAt(0);
    if (two === "&&" || two === "||") return this.#operate(two, 2);
    if (two === "\\\n") this.#skipBreak();
    else if (char === " " || char === "\t" || char === "\r") this.#at++;
    else if (char === "\n" && this.#isAfterPipe) this.#at++;
    else if (char === ";" || char === "\n") return two !== ";;" && this.#operate(";", 1);
    else if (char === "&" && two !== "&>") {
      this.#hasBackground = true;
      return this.#operate(";", 1);
    } else if (char === "|") this.#pipe(two);
    else if (char === "#") this.#at = indexOrEnd(this.text, "\n", this.#at);
    else if (char === "(") return this.#readGroup(")");
    else if (char === ")") return false;
    else if (/[<>&]/.test(char)) return this.#redirect();
    else return this.#word();
    return true;
  }

  #operate(operator: ShellItem["operator"], length: number): boolean {
    const isEmpty = !this.#end(operator);
    this.#at += length;
    this.#start = this.#at;
    return !isEmpty || operator === ";";
  }

  /** A backslash before a line break joins two lines. */
  #skipBreak(): void {
    this.#at += 2;
    if (this.#isFirst()) this.#start = this.#at;
  }

  #pipe(two: string): void {
    this.#isSimple = false;
    this.#isLaterInPipe = true;
    this.#isAfterPipe = true;
    this.#at += two === "|&" ? 2 : 1;
  }

  #end(next: ShellItem["operator"]): boolean {
    const text = this.text.slice(this.#start, this.#last).trim();
    const isEmpty = this.#words.length === 0 && this.#group === undefined && this.#isSimple;
    if (!isEmpty) {
      this.#items.push({
        operator: this.#operator,
        text,
        words: this.#group === undefined ? this.#words : [],
        group: this.#isSimple ? this.#group : undefined,
        isSimple: this.#isSimple && this.#group === undefined,
      });
    }
    if (!isEmpty || next !== ";") this.#operator = next;
    this.#words = [];
    this.#group = undefined;
    this.#isSimple = true;
    this.#isTarget = false;
    this.#isLaterInPipe = false;
    return !isEmpty;
  }

  #isFirst(): boolean {
    return this.#words.length === 0 && this.#group === undefined && !this.#isLaterInPipe;
  }

  #readGroup(close: ")" | "}"): boolean {
    this.#isAfterPipe = false;
    if (this.#words.length > 0) return false;
    const end = endOfGroup(this.text, this.#at, close);
    if (end === undefined) return false;
    if (this.#isFirst()) this.#group = this.text.slice(this.#at + 1, end - 1);
    this.#at = end;
    this.#last = end;
    return true;
  }

  #redirect(): boolean {
    const operator = /^(?:&>>?|<<<|<<|<>|<&|>&|>>|>\||[<>]\(?)/.exec(
      this.text.slice(this.#at, this.#at + 3)
    )?.[0];
    if (operator === undefined || operator === "<<") return false;
    this.#isSimple = false;
    if (operator.endsWith("(")) {
      const end = endOfGroup(this.text, this.#at + 1, ")");
      this.#at = end ?? this.text.length;
      this.#last = this.#at;
      return end !== undefined;
    }
    this.#at += operator.length;
    this.#isTarget = true;
    return true;
  }

  #word(): boolean {
    this.#isAfterPipe = false;
    const end = endOfWord(this.text, this.#at);
    if (end === undefined) return false;
    const raw = this.text.slice(this.#at, end.at);
    if (this.#isFirst() && !this.#isTarget) {
      if (KEYWORDS.has(raw)) return false;
      if (raw === "{") return this.#readGroup("}");
    }
    this.#at = end.at;
    this.#last = end.at;
    // The number in `2>&1` belongs to the redirection.
    const isNumber = /^\d$/.test(raw) && /[<>]/.test(this.text.charAt(this.#at));
    if (this.#group !== undefined && !this.#isTarget && !this.#isLaterInPipe) return isNumber;
    if (!this.#isTarget && !isNumber && !this.#isLaterInPipe)
      this.#words.push({ raw, value: end.value });
    this.#isTarget = false;
    return true;
  }
}

/** Returns the end of a word and its value, or undefined if a quote or a substitution does not end. */
function endOfWord(
  text: string,
  start: number
): { readonly at: number; readonly value: string | undefined } | undefined {
  const parts: string[] = [];
  let isKnown = true;
  let at = start;
  while (at < text.length && !/[\s;&|()<>]/.test(text.charAt(at))) {
    const char = text.charAt(at);
    const end = endOfUnit(text, at);
    if (end === undefined) return undefined;
    const unit = text.slice(at, end);
    if (char === "'") parts.push(unit.slice(1, -1));
    else if (char === '"') {
      isKnown &&= !/[$`\\]/.test(unit);
      parts.push(unit.slice(1, -1));
    } else if (char === "\\") parts.push(unit === "\\\n" ? "" : unit.slice(1));
    else {
      isKnown &&= !/[$`*?[~]/.test(char);
      parts.push(unit);
    }
    at = end;
  }
  return { at, value: isKnown ? parts.join("") : undefined };
}

/** Returns the end of a quote, a substitution, an escaped character, or a run of other characters. */
function endOfUnit(text: string, at: number): number | undefined {
  const char = text.charAt(at);
  if (char === "\\") return Math.min(at + 2, text.length);
  if (char === "'") {
    const end = text.indexOf("'", at + 1);
    return end === -1 ? undefined : end + 1;
  }
  const next = text.charAt(at + 1);
  if (char === '"' || char === "`" || (char === "$" && (next === "(" || next === "{"))) {
    return endOfNested(text, at);
  }
  if (char === "$") return at + 1;
  PLAIN.lastIndex = at;
  return PLAIN.test(text) && PLAIN.lastIndex > at ? PLAIN.lastIndex : at + 1;
}

const PLAIN = /[\w./:=@,+%^{}-]*/y;

/** Returns the index after the quote or the substitution that begins here. */
function endOfNested(text: string, start: number): number | undefined {
  const open: string[] = [];
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    const inner = open.at(-1);
    const next = text.charAt(at + 1);
    if (char === "\\") at++;
    else if (char === inner) {
      open.pop();
      if (open.length === 0) return at + 1;
    } else if (char === "$" && (next === "(" || next === "{")) {
      open.push(next === "(" ? ")" : "}");
      at++;
    } else if (char === '"' || char === "`") open.push(char);
    else if (inner !== '"' && char === "'") {
      at = text.indexOf("'", at + 1);
      if (at === -1) return undefined;
    } else if (inner === ")" && char === "(") open.push(")");
  }
  return undefined;
}

/** Returns the index after the `)` or `}` of the group that begins here. A `}` ends a group only as a command. */
function endOfGroup(text: string, start: number, close: ")" | "}"): number | undefined {
  const open = close === ")" ? "(" : "{";
  let depth = 0;
  for (let at = start; at < text.length;) {
    const char = text.charAt(at);
    const isWord = close === ")" || /[\s;&|(]|^$/.test(text.charAt(at - 1));
    if (isWord && char === open) depth++;
    if (isWord && char === close && --depth === 0) return at + 1;
    if (char === "#" && /\s/.test(text.charAt(at - 1))) at = indexOrEnd(text, "\n", at);
    else if (/[\\'"`$]/.test(char)) {
      const end = endOfUnit(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else at++;
  }
  return undefined;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at === -1 ? text.length : at;
}
