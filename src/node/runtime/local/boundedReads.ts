import { KIB } from "@/common/limits";
import type { ReadOptions } from "@/node/runtime/HookRuntime";

interface Read {
  readonly buffer: Buffer;
  /** Where to read in the file. */
  readonly position: number;
}

/**
 * Yields each read of a file, is given how many bytes it returned, and returns all bytes. Reads up to the end or the
 * limit, not up to the size: a file may grow, and those of /proc have size 0.
 */
export function* boundedReads(
  size: number,
  { maxBytes, tail = false, offset = 0 }: ReadOptions
): Generator<Read, Uint8Array, number> {
  let position = tail ? Math.max(0, size - maxBytes) : offset;
  const chunks: Buffer[] = [];
  for (let left = maxBytes; left > 0;) {
    const wanted = Math.min(left, Math.max(size - position, 0) + CHUNK_BYTES);
    const buffer = Buffer.allocUnsafeSlow(wanted);
    const bytesRead = yield { buffer, position };
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    position += bytesRead;
    left -= bytesRead;
    // A read of a file on a disk returns all there is; one of a file in /proc may return a part.
    if (size > 0 && bytesRead < wanted) break;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

const CHUNK_BYTES = 4 * KIB;
