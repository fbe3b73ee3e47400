/** Keeps a copy of a file up to date on the workspace's machine by appending what is new (H34). */
import { err, ok, type Result } from "neverthrow";
import type { FileFailure, FileStat, PresentStat, HookRuntime } from "@/node/runtime/HookRuntime";
import { fileMissing } from "@/node/services/hooks/messages/shared";
import {
  KnownPrefix,
  PIECE_BYTES,
  type ReadPart,
} from "@/node/services/hooks/transcript/KnownPrefix";

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
  readonly content: KnownPrefix;
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
    const from = (await this.#isBeginningOf(stat)) ? (this.#sent?.content.bytes ?? 0) : 0;
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
    if (before?.content.bytes !== news.from) return await this.#sendWhole(news, signal);
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
    before.content.add(first);
    return await this.#sendRest({ ...before, copy: stat.identity }, news, signal);
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
    const content = new KnownPrefix();
    content.add(news.first);
    const sent = { content, source: news.identity, copy: undefined };
    return await this.#sendRest(sent, news, signal);
  }

  async #sendRest(
    sent: SentPart,
    { end }: News,
    signal: AbortSignal | undefined
  ): Promise<Result<void, FileFailure>> {
    const { content } = sent;
    while (content.bytes < end) {
      if (signal?.aborted === true) return err(interrupted(this.path));
      const piece = await this.#read(content.bytes, end);
      if (piece.isErr()) return err(piece.error);
      // The file has become shorter in the meantime. It is sent again at the next stop.
      if (piece.value.length === 0) break;
      const appended = await this.runtime.appendFile(this.copy, piece.value);
      if (appended.isErr()) return err(appended.error);
      content.add(piece.value);
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
    if (sent === undefined || size < sent.content.bytes) return false;
    const read: ReadPart = (offset, maxBytes) =>
      this.runtime.host.readFile(this.path, { offset, maxBytes });
    return await sent.content.isBeginningOf(read, identity === sent.source);
  }
}

/** Returns whether the stat matches the copy, from before or after the latest append. */
function isCopy({ size, identity }: PresentStat, sent: SentPart, more: number): boolean {
  const { bytes } = sent.content;
  return (
    (sent.copy === undefined || sent.copy === identity) && (size === bytes || size === bytes + more)
  );
}

function unusable(path: string, stat: FileStat | undefined): FileFailure {
  if (stat?.kind === "failed") return stat.failure;
  return stat === undefined || stat.kind === "missing"
    ? { path, code: "ENOENT", message: fileMissing(path) }
    : { path, code: "EINVAL", message: `${path} is not a regular file` };
}

function interrupted(path: string): FileFailure {
  return { path, code: "ECANCELED", message: `the copy of ${path} is incomplete: interrupted` };
}
