/**
 * Divides an output stream of a remote session at the marks that the remote script prints, and passes each part, such
 * as the program's output, to its own function. Drops what a login shell prints before the first mark.
 */
export class MarkedStream {
  /** How many marks have arrived. */
  passed = 0;
  /** Bytes that may be the beginning of the next mark. */
  #held: Buffer = NOTHING;

  /** @param parts the marks, each with a function that receives the bytes behind it, piece by piece */
  constructor(private readonly parts: readonly (readonly [mark: string, take: Take])[]) {}

  push(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const mark = Buffer.from(this.parts[this.passed]?.[0] ?? "");
    const at = mark.length === 0 ? -1 : bytes.indexOf(mark);
    const end = at === -1 ? bytes.length - beginningAtEnd(bytes, mark) : at;
    this.#take(bytes.subarray(0, end));
    // Copied, because the chunk may be freed.
    this.#held = at === -1 && end < bytes.length ? Buffer.from(bytes.subarray(end)) : NOTHING;
    if (at === -1) return;
    this.passed++;
    this.push(bytes.subarray(at + mark.length));
  }

  /** Ends the stream without its next mark: the held bytes belong to the part before. */
  close(): void {
    this.#take(this.#held);
    this.#held = NOTHING;
  }

  #take(bytes: Buffer): void {
    if (bytes.length > 0) this.parts[this.passed - 1]?.[1](bytes);
  }
}

type Take = (bytes: Buffer) => void;
const NOTHING = Buffer.alloc(0);

/** Returns how many of the last bytes are the beginning of the mark. */
function beginningAtEnd(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length;
  }
  return 0;
}
