/**
 * The history of a session as one growing file. After a compaction newer releases of Mux move the older rows, unchanged,
 * from `chat.jsonl` to the end of `chat-archive.jsonl` beside it.
 */
import { posix } from "node:path";
import { err, ok, Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { fileMissing } from "@/node/services/hooks/messages/shared";
import { PIECE_BYTES, type ReadPart } from "@/node/services/hooks/transcript/KnownPrefix";

/** Maximum length of a line. A longer one is skipped, so that memory stays bounded. */
const MAX_LINE_BYTES = 64 * MIB;
const LINE_FEED = 10;

export interface History {
  readonly size: number;
  /** Changes if a file was replaced. */
  readonly identity: string;
  readonly read: ReadPart;
}

/** A line with its line feed, if it has one. */
export interface HistoryLine {
  readonly bytes: Buffer;
  /** Whether the line is longer than the limit. `bytes` is a part of it, and the last part ends it. */
  readonly isTooLong: boolean;
}

/** @param path the transcript, absolute */
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
 * Reads lines from an offset on, up to the size that the history had when it was opened.
 * @param isWithinLong whether the offset is within a line that is longer than the limit
 */
export async function* readLines(
  { size, read }: History,
  from: number,
  isWithinLong: boolean
): AsyncGenerator<Result<HistoryLine, FileFailure>> {
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
