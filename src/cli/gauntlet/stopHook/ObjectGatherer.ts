/** Finds the end of a JSON object in bytes that come as they like (G22). */
import { MIB } from "@/common/limits";

/** Room for any last message of an agent; a program that writes for ever is not held in memory. */
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

  /** Whether nothing that may still come changes anything. */
  get isDone(): boolean {
    return this.#state === "whole" || this.#state === "hopeless";
  }

  /** What begins and ends as an object does; what follows it is no part of it. */
  get text(): string | undefined {
    return this.#state === "whole" ? Buffer.concat(this.#chunks).toString("utf8") : undefined;
  }

  /** The chunk is kept as it is: nobody may write to it any more. */
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
