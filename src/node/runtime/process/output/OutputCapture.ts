import { KEPT_OUTPUT_BYTES, KIB } from "@/common/limits";
import { leftOut } from "@/node/runtime/messages";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";

/**
 * Keeps the first and the last half of `keepBytes` of a byte stream and counts the rest (H20).
 *
 * One buffer holds the head and, behind it, a window over the tail that is twice as long as the tail that is kept. When
 * the window is full its last half moves to its start. Every byte is copied about twice, no chunk is retained, and the
 * buffer only grows with the output.
 */
export class OutputCapture {
  readonly #head: number;
  readonly #tail: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #bytes = 0;

  constructor(keepBytes = KEPT_OUTPUT_BYTES) {
    this.#head = Math.ceil(keepBytes / 2);
    this.#tail = Math.floor(keepBytes / 2);
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#head === 0) return;
    for (let at = 0; at < chunk.length;) {
      const room = this.#makeRoom(chunk.length - at);
      this.#buffer.set(chunk.subarray(at, at + room), this.#length);
      this.#length += room;
      at += room;
    }
  }

  /** Returns the output kept so far. */
  read(): CapturedOutput {
    const keep = this.#head + this.#tail;
    const truncated = this.#bytes > keep;
    if (!truncated) {
      return {
        text: this.#buffer.toString("utf8", 0, this.#length),
        bytes: this.#bytes,
        truncated,
      };
    }
    const head = withoutCutEnd(this.#buffer.subarray(0, Math.min(this.#head, this.#length)));
    const tail = withoutCutStart(
      this.#buffer.subarray(Math.max(this.#head, this.#length - this.#tail), this.#length)
    );
    const lost = this.#bytes - head.length - tail.length;
    // Puts the marker on a line of its own, so that no surrounding JSON stays valid.
    const newline = head.length === 0 || head.at(-1) === NEWLINE ? "" : "\n";
    const marker = newline + leftOut(lost);
    return {
      text: head.toString("utf8") + marker + tail.toString("utf8"),
      bytes: this.#bytes,
      truncated,
    };
  }

  /** Returns how many of `wanted` bytes may be written at the end of the buffer: at least one. */
  #makeRoom(wanted: number): number {
    const max = this.#head + 2 * Math.max(this.#tail, 1);
    if (this.#length === max) {
      this.#buffer.copyWithin(this.#head, this.#length - this.#tail, this.#length);
      this.#length = this.#head + this.#tail;
    }
    const needed = Math.min(this.#length + wanted, max);
    if (needed > this.#buffer.length) {
      const size = Math.min(Math.max(needed, 2 * this.#buffer.length, FIRST_SIZE), max);
      const grown = Buffer.allocUnsafeSlow(size);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    return needed - this.#length;
  }
}

const FIRST_SIZE = 4 * KIB;
const NEWLINE = 0x0a;

/** Removes a character from the end if its last bytes are missing. */
export function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Removes the last bytes of a character from the start if its first byte is missing. */
export function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
