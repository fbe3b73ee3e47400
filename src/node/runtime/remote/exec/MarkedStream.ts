/**
 * One stream of a session, of which only the part between two marks is the program's. A login shell may print before
 * the first mark, and a background process after the second.
 */
export class MarkedStream {
  readonly #begin: Buffer;
  readonly #end: Buffer;
  #state: "before" | "within" | "behind" = "before";
  /** Bytes that may be the beginning of the mark that is searched for. */
  #held: Buffer = NOTHING;

  /** @param take receives the bytes between the marks, piece by piece */
  constructor(
    begin: string,
    end: string,
    private readonly take: (bytes: Buffer) => void
  ) {
    this.#begin = Buffer.from(begin);
    this.#end = Buffer.from(end);
  }

  hasBegun(): boolean {
    return this.#state !== "before";
  }

  /** @returns the bytes after the second mark, once it has arrived */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#state === "behind") return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const mark = this.#state === "before" ? this.#begin : this.#end;
    const at = bytes.indexOf(mark);
    if (at === -1) {
      const keep = beginningAtEnd(bytes, mark);
      if (this.#state === "within" && keep < bytes.length) {
        this.take(bytes.subarray(0, bytes.length - keep));
      }
      // Copied, because the chunk may be freed.
      this.#held = keep === 0 ? NOTHING : Buffer.from(bytes.subarray(bytes.length - keep));
      return undefined;
    }
    const rest = bytes.subarray(at + mark.length);
    this.#held = NOTHING;
    if (this.#state === "before") {
      this.#state = "within";
      return this.push(rest);
    }
    if (at > 0) this.take(bytes.subarray(0, at));
    this.#state = "behind";
    return rest;
  }

  /** Ends the stream without its second mark: the held bytes are the program's. */
  close(): void {
    if (this.#state === "within" && this.#held.length > 0) this.take(this.#held);
    this.#held = NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

/** Returns how many of the last bytes are the beginning of the mark. */
function beginningAtEnd(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length;
  }
  return 0;
}
