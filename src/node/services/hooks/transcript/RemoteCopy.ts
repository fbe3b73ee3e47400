/** Keeps a copy of a file up to date on the workspace's machine by appending what is new (H34). */
import { createHash, type Hash } from "node:crypto";
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure, FileStat, PresentStat, HookRuntime } from "@/node/runtime/HookRuntime";
import { fileMissing, notRegularFile } from "@/node/services/hooks/messages/files";
import { sendingInterrupted } from "@/node/services/hooks/messages/execution";

/** Maximum part of a file in memory at a time, regardless of the file's length. */
const PIECE_BYTES = 4 * MIB;
/** Bytes at the end of the sent content that are compared before more is appended, if the file kept its identity. */
const END_BYTES = 4_096;

/** The content to send: the whole file if `from` is 0. */
export interface News {
  readonly from: number;
  /** Size of the file when it was checked. */
  readonly end: number;
  readonly first: Uint8Array;
  /** Identity of the file on this machine. */
  readonly identity: string;
}

/** The content of the copy. */
interface SentPart {
  readonly bytes: number;
  /** Hash of the whole content. */
  readonly hash: Hash;
  readonly lastBytes: Buffer;
  readonly source: string;
  /** Identity of the copy, once known. */
  readonly copy: string | undefined;
}

export class RemoteCopy {
  /** Absent if the content of the copy is unknown. */
  #sent: SentPart | undefined;

  constructor(
    private readonly runtime: HookRuntime,
    /** Absolute, on this machine. */
    readonly path: string,
    /** Absolute, on the workspace's machine. */
    readonly copy: string
  ) {}

  /** Reads on this machine what {@link send} is to send. */
  async look(): Promise<Result<News, FileFailure>> {
    const [stat] = await this.runtime.host.stat([this.path]);
    if (stat?.kind !== "file") return err(unusable(this.path, stat));
    const { size: end, identity } = stat;
    const from = (await this.#isBeginningOf(stat)) ? (this.#sent?.bytes ?? 0) : 0;
    const read = await this.#read(from, end);
    return read.map((first) => ({ from, end, first, identity }));
  }

  /**
   * Sends new content. Requests the first operation before it returns its promise, so that it shares a round trip with
   * other requests of the same tick.
   */
  async send(news: News, signal?: AbortSignal): Promise<Result<void, FileFailure>> {
    const before = this.#sent;
    // The content of the copy is unknown until everything has arrived.
    this.#sent = undefined;
    if (before?.bytes !== news.from) return await this.#sendWhole(news, signal);
    const { first } = news;
    const [appended, [stat]] = await Promise.all([
      first.length === 0 ? ok(undefined) : this.runtime.appendFile(this.copy, first),
      this.runtime.stat([this.copy]),
    ]);
    if (appended.isErr()) return err(appended.error);
    if (stat?.kind === "failed") return err(stat.failure);
    if (stat?.kind !== "file" || !isCopy(stat, before, first.length)) {
      return await this.#sendAgain(signal);
    }
    return await this.#sendRest(follow({ ...before, copy: stat.identity }, first), news, signal);
  }

  /** Sends the whole file because the copy was changed by another program. */
  async #sendAgain(signal: AbortSignal | undefined): Promise<Result<void, FileFailure>> {
    const news = await this.look();
    return news.isErr() ? err(news.error) : await this.#sendWhole(news.value, signal);
  }

  async #sendWhole(
    news: News,
    signal: AbortSignal | undefined
  ): Promise<Result<void, FileFailure>> {
    const written = await this.runtime.writeFile(this.copy, news.first);
    if (written.isErr()) return err(written.error);
    return await this.#sendRest(follow(nothingOf(news.identity), news.first), news, signal);
  }

  async #sendRest(
    begun: SentPart,
    { end }: News,
    signal: AbortSignal | undefined
  ): Promise<Result<void, FileFailure>> {
    let sent = begun;
    while (sent.bytes < end) {
      if (signal?.aborted === true) return err(interrupted(this.path));
      const piece = await this.#read(sent.bytes, end);
      if (piece.isErr()) return err(piece.error);
      // The file has become shorter in the meantime. It is sent again at the next stop.
      if (piece.value.length === 0) break;
      const appended = await this.runtime.appendFile(this.copy, piece.value);
      if (appended.isErr()) return err(appended.error);
      sent = follow(sent, piece.value);
    }
    this.#sent = sent;
    return ok(undefined);
  }

  #read(offset: number, end: number): Promise<Result<Uint8Array, FileFailure>> {
    const maxBytes = Math.min(PIECE_BYTES, end - offset);
    return this.runtime.host.readFile(this.path, { offset, maxBytes });
  }

  /**
   * Returns whether the sent content is the beginning of the file. A file that was replaced, as by an edit or a
   * compaction, is compared from its first byte.
   */
  async #isBeginningOf({ size, identity }: PresentStat): Promise<boolean> {
    const sent = this.#sent;
    if (sent === undefined || size < sent.bytes) return false;
    if (identity !== sent.source) return await this.#startsWith(sent);
    const { lastBytes, bytes } = sent;
    const there = await this.runtime.host.readFile(this.path, {
      offset: bytes - lastBytes.length,
      maxBytes: lastBytes.length,
    });
    return there.isOk() && lastBytes.equals(there.value);
  }

  async #startsWith({ bytes, hash }: SentPart): Promise<boolean> {
    const here = createHash("sha256");
    for (let at = 0; at < bytes;) {
      const piece = await this.#read(at, bytes);
      if (piece.isErr() || piece.value.length === 0) return false;
      here.update(piece.value);
      at += piece.value.length;
    }
    return here.digest("hex") === hash.copy().digest("hex");
  }
}

function nothingOf(source: string): SentPart {
  const lastBytes = Buffer.alloc(0);
  return { bytes: 0, hash: createHash("sha256"), lastBytes, source, copy: undefined };
}

function follow(sent: SentPart, piece: Uint8Array): SentPart {
  const end = Buffer.concat([sent.lastBytes, piece.subarray(-END_BYTES)]).subarray(-END_BYTES);
  return {
    ...sent,
    bytes: sent.bytes + piece.length,
    hash: sent.hash.update(piece),
    // A separate buffer, because a slice would keep everything that was read in memory.
    lastBytes: Buffer.from(end),
  };
}

/** Returns whether the stat matches the copy, from before or after the latest append. */
function isCopy({ size, identity }: PresentStat, { bytes, copy }: SentPart, more: number): boolean {
  return (copy === undefined || copy === identity) && (size === bytes || size === bytes + more);
}

function unusable(path: string, stat: FileStat | undefined): FileFailure {
  if (stat?.kind === "failed") return stat.failure;
  return stat === undefined || stat.kind === "missing"
    ? { path, code: "ENOENT", message: fileMissing(path) }
    : { path, code: "EINVAL", message: notRegularFile(path) };
}

function interrupted(path: string): FileFailure {
  return { path, code: "ECANCELED", message: sendingInterrupted(path) };
}
