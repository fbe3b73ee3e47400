/** A file of this machine that is kept the same on the workspace's: what is new in it is appended there (H34). */
import { createHash, type Hash } from "node:crypto";
import { err, ok, type Result } from "neverthrow";
import { MIB } from "@/common/limits";
import type { FileFailure, FileStat, PresentStat, HookRuntime } from "@/node/runtime/HookRuntime";

/** What is held of a file at a time, however long it is. */
const PIECE_BYTES = 4 * MIB;
/** What is compared of a file that is still the one it was, before what is behind it counts as new. */
const END_BYTES = 4_096;

/** What has to be sent: all of it where `from` is 0. */
export interface News {
  readonly from: number;
  /** Where the file ended when it was looked at. */
  readonly end: number;
  readonly first: Uint8Array;
  /** The file's own, here. */
  readonly identity: string;
}

/** What the copy holds. */
interface SentPart {
  readonly bytes: number;
  /** Over all of it. */
  readonly hash: Hash;
  readonly lastBytes: Buffer;
  readonly source: string;
  /** The copy's identity, once it has been seen. */
  readonly copy: string | undefined;
}

export class RemoteCopy {
  /** Absent where the copy may hold anything. */
  #sent: SentPart | undefined;

  constructor(
    private readonly runtime: HookRuntime,
    /** Absolute, on this machine. */
    readonly path: string,
    /** Absolute, on the workspace's. */
    readonly copy: string
  ) {}

  /** Reads here what {@link send} is to send. */
  async look(): Promise<Result<News, FileFailure>> {
    const [stat] = await this.runtime.host.stat([this.path]);
    if (stat?.kind !== "file") return err(unusable(this.path, stat));
    const { size: end, identity } = stat;
    const from = (await this.#isBeginningOf(stat)) ? (this.#sent?.bytes ?? 0) : 0;
    const read = await this.#read(from, end);
    return read.map((first) => ({ from, end, first, identity }));
  }

  /** Asks for the first operation before it returns, so that it goes with whatever else is asked for in this tick. */
  async send(news: News, signal?: AbortSignal): Promise<Result<void, FileFailure>> {
    const before = this.#sent;
    // Until all has arrived, nobody knows what is there.
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

  /** Somebody has been at the copy. */
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
      // It has become shorter meanwhile, and is sent anew at the next stop.
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

  /** A file that somebody else took the place of, as at an edit and a compaction, is compared from its first byte. */
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
    // A buffer of its own, or it would hold on to all that was read.
    lastBytes: Buffer.from(end),
  };
}

/** Whether it is what was sent before, seen before or after what has just been appended to it. */
function isCopy({ size, identity }: PresentStat, { bytes, copy }: SentPart, more: number): boolean {
  return (copy === undefined || copy === identity) && (size === bytes || size === bytes + more);
}

function unusable(path: string, stat: FileStat | undefined): FileFailure {
  if (stat?.kind === "failed") return stat.failure;
  return stat === undefined || stat.kind === "missing"
    ? { path, code: "ENOENT", message: `there is no file ${path}` }
    : { path, code: "EINVAL", message: `${path} is not a file` };
}

function interrupted(path: string): FileFailure {
  return { path, code: "ECANCELED", message: `${path} was not sent to its end: interrupted` };
}
