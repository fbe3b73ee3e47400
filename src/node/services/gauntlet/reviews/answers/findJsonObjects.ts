/**
 * Finds JSON objects in text of any kind: alone, in a fence, in prose, one a line.
 *
 * One pass over the text whatever it holds: an object that turns out to be none is given up where it breaks, and the
 * search goes on from there (from within a string that turned out to be none, which is read at most once more).
 */
import { unreachable } from "@/common/errors";

/** A piece of the text, from `start` up to `end`. */
export interface JsonSpan {
  /** `broken`: it began as an object and was none, or the text ended in it. */
  readonly kind: "whole" | "broken";
  readonly start: number;
  readonly end: number;
}

/** What nests deeper is given up: nothing that is looked for does. */
const MAX_DEPTH = 128;
/** Shorter ones say nothing that is looked for, and there may be millions of them. */
const SHORTEST = 12;

/** The outermost objects in order, and of broken ones the whole objects inside them; none that is empty or tiny. */
export function* scanObjects(text: string): Generator<JsonSpan> {
  const reader = new ObjectReader(text);
  for (let at = text.indexOf("{"); at !== -1;) {
    const key = skipSpace(text, at + 1);
    if (text.charAt(key) !== '"') {
      at = text.indexOf("{", key);
      continue;
    }
    const kind = reader.read(at) ? "whole" : "broken";
    if (kind === "broken") yield* reader.inside;
    if (reader.end - at >= SHORTEST) yield { kind, start: at, end: reader.end };
    at = text.indexOf("{", reader.next);
  }
}

interface Open {
  readonly start: number;
  readonly closer: "}" | "]";
  /** How many objects had been found when it was opened: those behind are its own. */
  readonly found: number;
}

/** What may come next: a key or the end, a key, a colon, a value or the end, a value, a comma or the end. */
type Wanted = "keyOrEnd" | "key" | "colon" | "valueOrEnd" | "value" | "commaOrEnd";

class ObjectReader {
  /** Of what was read last: where it ends, or breaks. */
  end = 0;
  /** Of a broken one: the whole objects in it. */
  readonly inside: JsonSpan[] = [];

  readonly #open: Open[] = [];
  #wanted: Wanted = "keyOrEnd";
  /** Where the last string begins, as long as what follows may show that it was none. */
  #string = -1;

  constructor(private readonly text: string) {}

  /** Where the search goes on. */
  get next(): number {
    return this.#string === -1 ? this.end : this.#string + 1;
  }

  /** Reads the object that begins there; answers whether it is whole. */
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

  /** Takes one token; answers false where it is none that may come here. */
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

  /** Up to its closing quote. JSON has no line ends within a string, so text with an odd quote finds its feet again. */
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

  /** A number, `true`, `false` or `null`; `JSON.parse` has the last word on what it takes for one. */
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
