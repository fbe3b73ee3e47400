/** The beginning of a growing file that was already processed, and a check whether the file still begins with it. */
import { createHash, type Hash } from "node:crypto";
import type { Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure } from "@/node/runtime/HookRuntime";

/** Maximum part of a file in memory at a time, regardless of the file's length. */
export const PIECE_BYTES = 4 * MIB;
/** Bytes at the end of the known content that are compared before more is processed, if the file kept its identity. */
const END_BYTES = 4_096;

/** Reads a part of the file. */
export type ReadPart = (
  offset: number,
  maxBytes: number
) => Promise<Result<Uint8Array, FileFailure>>;

export class KnownPrefix {
  #bytes = 0;
  readonly #hash: Hash = createHash("sha256");
  #lastBytes: Buffer = Buffer.alloc(0);

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the bytes that follow. */
  add(piece: Uint8Array): void {
    const end = Buffer.concat([this.#lastBytes, piece.subarray(-END_BYTES)]).subarray(-END_BYTES);
    this.#bytes += piece.length;
    this.#hash.update(piece);
    // A separate buffer, because a slice would keep everything that was read in memory.
    this.#lastBytes = Buffer.from(end);
  }

  /**
   * Returns whether the file still begins with these bytes.
   * @param isSameFile whether it was only appended to, so that the end of the known bytes is enough to compare
   */
  async isBeginningOf(read: ReadPart, isSameFile: boolean): Promise<boolean> {
    return isSameFile ? await this.#endsAlike(read) : await this.#beginsAlike(read);
  }

  async #endsAlike(read: ReadPart): Promise<boolean> {
    const { length } = this.#lastBytes;
    const there = await read(this.#bytes - length, length);
    return there.isOk() && this.#lastBytes.equals(there.value);
  }

  async #beginsAlike(read: ReadPart): Promise<boolean> {
    const here = createHash("sha256");
    for (let at = 0; at < this.#bytes;) {
      const piece = await read(at, Math.min(PIECE_BYTES, this.#bytes - at));
      if (piece.isErr() || piece.value.length === 0) return false;
      here.update(piece.value);
      at += piece.value.length;
    }
    return here.digest("hex") === this.#hash.copy().digest("hex");
  }
}
