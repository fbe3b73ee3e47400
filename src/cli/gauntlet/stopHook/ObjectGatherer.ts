/** Finds the end of a JSON object in bytes that arrive in chunks of any size (G22). */
import { MIB } from "@/common/limits";

/** Enough for any last message of an agent. The output of a program that writes without end is not held in memory. */
const MAX_BYTES = 8 * MIB;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BRACE = 0x7b;
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

export class ObjectGatherer {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #depth = 0;
  #state: "blank" | "inside" | "inString" | "escaped" | "whole" | "hopeless" = "blank";

  /** Whether further input cannot change the result. */
  get isDone(): boolean {
    return this.#state === "whole" || this.#state === "hopeless";
  }

  /** The text that begins and ends like an object, without the text after it. Undefined if it is not complete. */
  get text(): string | undefined {
    return this.#state === "whole" ? Buffer.concat(this.#chunks).toString("utf8") : undefined;
  }

  /** Keeps the chunk without copying it: it must not be changed afterwards. */
  push(chunk: Uint8Array): void {
    let end = 0;
    while (end < chunk.length && !this.isDone) this.#take(chunk[end++] ?? 0);
    this.#bytes += end;
    if (this.#bytes > MAX_BYTES) this.#state = "hopeless";
    if (this.#state === "hopeless") this.#chunks.length = 0;
    else this.#chunks.push(chunk.subarray(0, end));
  }

  #take(byte: number): void {
    switch (this.#state) {
      case "blank":
        if (BLANK.has(byte)) return;
        this.#state = byte === BRACE ? "inside" : "hopeless";
        this.#depth = 1;
        return;
      case "inString":
        if (byte === QUOTE) this.#state = "inside";
        else if (byte === BACKSLASH) this.#state = "escaped";
        return;
      case "escaped":
        this.#state = "inString";
        return;
      case "inside":
        if (byte === QUOTE) this.#state = "inString";
        else if (OPENING.has(byte)) this.#depth++;
        else if (CLOSING.has(byte) && --this.#depth === 0) this.#state = "whole";
        return;
      case "whole":
      case "hopeless":
    }
  }
}
