/**
 * Finds where JSON objects, whole or broken, are in the output of a hook or reviewer: alone, in a code fence, in prose,
 * or one per line.
 */
import { unreachable } from "@/common/errors";

/** A range of the text, from `start` up to but not including `end`. */
export interface JsonSpan {
  /** `broken`: it begins as an object but is malformed, or the text ends inside it. */
  readonly kind: "whole" | "broken";
  readonly start: number;
  readonly end: number;
}

/** Objects that nest deeper are given up: no expected output nests this deep. */
const MAX_DEPTH = 128;
/** Shorter objects that are not cut off cannot hold an expected output, and there may be millions of them. */
const SHORTEST = 11;

/** Yields the outermost objects in order, and the whole objects inside broken ones. Skips empty and tiny objects. */
export function* scanObjects(text: string): Generator<JsonSpan> {
  const reader = new ObjectReader(text);
  const textEnd = text.trimEnd().length;
  for (let at = text.indexOf("{"); at !== -1;) {
    const key = skipSpace(text, at + 1);
    if (text.charAt(key) !== '"') {
      at = text.indexOf("{", key);
      continue;
    }
    const kind = reader.read(at) ? "whole" : "broken";
    if (kind === "broken") yield* reader.inside;
    const isCut = kind === "broken" && reader.end >= textEnd;
    if (isCut || reader.end - at >= SHORTEST) yield { kind, start: at, end: reader.end };
    at = text.indexOf("{", reader.next);
  }
}

/** An object or a list whose end has not been read yet. */
interface Open {
  readonly start: number;
  readonly closer: "}" | "]";
  /** The number of objects found before this one was opened. Later ones are inside it. */
  readonly found: number;
}

/** The next expected token: a key or the end, a key, a colon, a value or the end, a value, a comma or the end. */
type Wanted = "keyOrEnd" | "key" | "colon" | "valueOrEnd" | "value" | "commaOrEnd";

/**
 * Reads one object at a time, in one pass over the text: a malformed object is given up where it breaks, and the search
 * continues from there. If its last token was a string, the search continues inside that string, because the quote may
 * not have opened one. That text is read at most once more.
 */
class ObjectReader {
  /** The end of the last object, or the offset where it breaks. */
  end = 0;
  /** The whole objects inside the last object, if it is broken. */
  readonly inside: JsonSpan[] = [];

  readonly #open: Open[] = [];
  #wanted: Wanted = "keyOrEnd";
  /** The start of the last string as long as a later token may show that it is not a string; otherwise -1. */
  #string = -1;

  constructor(private readonly text: string) {}

  /** The offset where the search continues. */
  get next(): number {
    return this.#string === -1 ? this.end : this.#string + 1;
  }

  /** Reads the object at `start`. Returns whether it is whole. */
  read(start: number): boolean {
    this.#open.length = 0;
    this.inside.length = 0;
    this.end = start;
    this.#push("}");
    do {
      this.end = skipSpace(this.text, this.end);
      if (!this.#step(this.text.charAt(this.end))) return false;
    } while (this.#open.length > 0);
    return true;
  }

  /** Reads one token. Returns false if the token is not allowed at this point. */
  #step(char: string): boolean {
    const wanted = this.#wanted;
    const closer = this.#open.at(-1)?.closer;
    if (char === closer) return isEndPossible(wanted, closer) && this.#close();
    switch (wanted) {
      case "keyOrEnd":
      case "key":
        return char === '"' && this.#readString("colon");
      case "colon":
        return char === ":" && this.#readMark("value");
      case "commaOrEnd":
        return char === "," && this.#readMark(closer === "}" ? "key" : "value");
      case "valueOrEnd":
      case "value":
        if (char === "{" || char === "[") {
          return this.#open.length < MAX_DEPTH && this.#push(char === "{" ? "}" : "]");
        }
        return char === '"' ? this.#readString("commaOrEnd") : this.#readScalar();
      default:
        return unreachable(wanted);
    }
  }

  #push(closer: Open["closer"]): true {
    this.#open.push({ start: this.end, closer, found: this.inside.length });
    return this.#readMark(closer === "}" ? "keyOrEnd" : "valueOrEnd");
  }

  #close(): true {
    const closed = this.#open.pop();
    this.#readMark("commaOrEnd");
    if (closed?.closer === "}" && this.end - closed.start >= SHORTEST) {
      this.inside.length = closed.found;
      this.inside.push({ kind: "whole", start: closed.start, end: this.end });
    }
    return true;
  }

  #readMark(wanted: Wanted): true {
    this.#string = -1;
    this.end++;
    this.#wanted = wanted;
    return true;
  }

  /** Reads up to the closing quote. JSON strings have no line breaks, so an unbalanced quote affects one line only. */
  #readString(wanted: Wanted): boolean {
    const { text } = this;
    this.#string = this.end;
    for (this.end++; this.end < text.length; this.end++) {
      const code = text.charCodeAt(this.end);
      if (code === QUOTE) {
        this.end++;
        this.#wanted = wanted;
        return true;
      }
      if (code < SPACE) return false;
      if (code === BACKSLASH && !ESCAPED.test(text.charAt(++this.end))) return false;
    }
    return false;
  }

  /** Reads a number, `true`, `false` or `null`. `JSON.parse` later decides whether the value is valid. */
  #readScalar(): boolean {
    SCALAR.lastIndex = this.end;
    const length = SCALAR.exec(this.text)?.[0].length ?? 0;
    this.end += length;
    this.#wanted = "commaOrEnd";
    return length > 0;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPED = /["\\/bfnrtu]/;
const SCALAR = /true|false|null|-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?/y;

function isEndPossible(wanted: Wanted, closer: Open["closer"]): boolean {
  return wanted === "commaOrEnd" || wanted === (closer === "}" ? "keyOrEnd" : "valueOrEnd");
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}
