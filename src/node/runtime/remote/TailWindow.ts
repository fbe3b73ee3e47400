import { KIB } from "@/common/limits";

/** The last `keep` bytes of a stream, and how many there were. Its buffer grows no further than there is output. */
export class TailWindow {
  readonly #keep: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  bytes = 0;

  constructor(keep: number) {
    this.#keep = keep;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const wanted = chunk.subarray(Math.max(0, chunk.length - this.#keep));
    if (this.#length + wanted.length > 2 * this.#keep) {
      // Twice as long as what is kept, so every byte is moved about once.
      const kept = Math.min(this.#keep, this.#length);
      this.#buffer.copyWithin(0, this.#length - kept, this.#length);
      this.#length = kept;
    }
    const needed = this.#length + wanted.length;
    if (needed > this.#buffer.length) {
      const size = Math.min(Math.max(needed, 2 * this.#buffer.length, 4 * KIB), 2 * this.#keep);
      const grown = Buffer.allocUnsafeSlow(size);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(wanted, this.#length);
    this.#length = needed;
  }

  read(): Buffer {
    return this.#buffer.subarray(Math.max(0, this.#length - this.#keep), this.#length);
  }
}
