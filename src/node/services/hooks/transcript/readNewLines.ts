/**
 * Reads the new lines of transcripts that grow: checks whether a file still begins with the content that was processed
 * before, and reads what follows. The archive beside a transcript, to which its older rows were moved, is read before
 * it.
 */
import { createHash, type Hash } from "node:crypto";
import { err, ok, Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { posix } from "node:path";
import { fileMissing } from "@/node/services/hooks/messages/shared";

/** Maximum part of a file in memory at a time, regardless of the file's length. */
export const PIECE_BYTES = 4 * MIB;
/** Bytes at the end of the known content that are compared before more is processed, if the file kept its identity. */
const END_BYTES = 4_096;

/** Reads a part of the file. */
export type ReadPart = (
  offset: number,
  maxBytes: number
) => Promise<Result<Uint8Array, FileFailure>>;

/** The beginning of a file that was already processed, kept as its length, its hash and its last bytes. */
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
    if (isSameFile) {
      const { length } = this.#lastBytes;
      const there = await read(this.#bytes - length, length);
      return there.isOk() && this.#lastBytes.equals(there.value);
    }
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

/** Maximum length of a line. A longer one is skipped, so that memory stays bounded. */
const MAX_LINE_BYTES = 64 * MIB;
const LINE_FEED = 10;

/** A transcript after its archive, as one content. */
export interface History {
  readonly size: number;
  /** Changes if a file was replaced. */
  readonly identity: string;
  readonly read: ReadPart;
}

/** Opens a transcript, with the `chat-archive.jsonl` beside it as its beginning. @param path absolute */
export async function openHistory(
  files: Files,
  path: string
): Promise<Result<History, FileFailure>> {
  const archivePath = posix.join(posix.dirname(path), "chat-archive.jsonl");
  const [archive, chat] = await files.stat([archivePath, path]);
  if (chat?.kind === "failed") return err(chat.failure);
  if (chat?.kind !== "file") return err({ path, code: "ENOENT", message: fileMissing(path) });
  const archived = archive?.kind === "file" ? archive.size : 0;
  return ok({
    size: archived + chat.size,
    identity: `${archive?.kind === "file" ? archive.identity : ""} ${chat.identity} ${archived}`,
    read: async (offset, maxBytes) => {
      if (offset >= archived) {
        return await files.readFile(path, { offset: offset - archived, maxBytes });
      }
      const old = Math.min(maxBytes, archived - offset);
      const parts = await Promise.all([
        files.readFile(archivePath, { offset, maxBytes: old }),
        ...(maxBytes > old ? [files.readFile(path, { maxBytes: maxBytes - old })] : []),
      ]);
      return Result.combine(parts).map((pieces) => Buffer.concat(pieces));
    },
  });
}

/**
 * Reads lines from an offset on, up to the size that the history had when it was opened. Each has its line feed, if
 * there is one. If a line is longer than the limit (`isTooLong`), each result is a part of it, and the last part ends
 * it.
 *
 * @param isWithinLong whether the offset is within a line that is longer than the limit
 */
export async function* readLines(
  { size, read }: History,
  from: number,
  isWithinLong: boolean
): AsyncGenerator<Result<{ readonly bytes: Buffer; readonly isTooLong: boolean }, FileFailure>> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let isTooLong = isWithinLong;
  for (let at = from; at < size;) {
    const piece = await read(at, Math.min(PIECE_BYTES, size - at));
    if (piece.isErr()) {
      yield err(piece.error);
      return;
    }
    if (piece.value.length === 0) break;
    at += piece.value.length;
    const buffer = Buffer.from(piece.value.buffer, piece.value.byteOffset, piece.value.length);
    let start = 0;
    for (let end = buffer.indexOf(LINE_FEED); end !== -1; end = buffer.indexOf(LINE_FEED, start)) {
      const line = buffer.subarray(start, end + 1);
      yield ok({ bytes: Buffer.concat([...begun, line]), isTooLong });
      [begun, begunBytes, isTooLong] = [[], 0, false];
      start = end + 1;
    }
    begun.push(buffer.subarray(start));
    begunBytes += buffer.length - start;
    if (begunBytes > MAX_LINE_BYTES) {
      isTooLong = true;
      yield ok({ bytes: Buffer.concat(begun), isTooLong });
      [begun, begunBytes] = [[], 0];
    }
  }
  if (begunBytes > 0) yield ok({ bytes: Buffer.concat(begun), isTooLong });
}
