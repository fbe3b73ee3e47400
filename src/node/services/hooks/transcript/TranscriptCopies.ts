/**
 * Copies the transcripts of a session to the other machine that its hooks run on, at each stop only what is new, and
 * removes the copies at the end (H34).
 */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import type * as port from "@/node/runtime/HookRuntime";
import { fileMissing } from "@/node/services/hooks/messages/shared";
import * as readNewLines from "@/node/services/hooks/transcript/readNewLines";

/** The result of a transfer. */
export interface Mirrored {
  /** Paths of the copies on the workspace's machine, by path on this machine. */
  readonly copies: ReadonlyMap<string, string>;
  /** Why a copy is missing or incomplete. */
  readonly failure?: port.FileFailure;
}

/** More than the transcripts of any session. */
const MAX_FILES = 16;
/** How long the end of a session waits for a machine that may be unreachable. */
const REMOVAL_LIMIT_MS = 5_000;

export class TranscriptCopies {
  /** By path on this machine, in order of use. */
  readonly #files = new Map<string, RemoteCopy>();
  #folder: string | undefined;
  #count = 0;
  /** The latest transfer. Stops are sent one after the other. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly runtime: port.RemoteHookRuntime) {}

  /**
   * Finds new content of these files (absolute paths) on this machine. Never rejects.
   *
   * @returns a function to send it, which requests the first operations before it returns its promise and never rejects
   */
  async look(paths: readonly string[]): Promise<(signal?: AbortSignal) => Promise<Mirrored>> {
    await this.#sending;
    const folder = await this.folder();
    if (folder.isErr()) {
      const { error } = folder;
      return () => Promise.resolve({ copies: new Map(), failure: error });
    }
    const files = [...new Set(paths)].map((path) => this.#file(path, folder.value));
    const looks = await Promise.all(
      files.map(async (file) => ({ file, news: await settled(file.path, file.look()) }))
    );
    return async (signal) => {
      const sending = looks.map(async ({ file, news }) =>
        news.isErr() ? news : await settled(file.path, file.send(news.value, signal))
      );
      const all = Promise.all(sending);
      this.#sending = all;
      const sent = await all;
      const arrived = files.filter((_, i) => sent[i]?.isOk());
      return {
        copies: new Map(arrived.map(({ path, copy }) => [path, copy])),
        failure: sent.flatMap((each) => (each.isErr() ? [each.error] : []))[0],
      };
    };
  }

  /** Returns a folder of this session on the workspace's machine, which may not exist yet. */
  async folder(): Promise<Result<string, port.FileFailure>> {
    if (this.#folder !== undefined) return ok(this.#folder);
    const scratch = await settled("", this.runtime.scratchDir());
    return scratch.map((dir) => {
      this.#folder ??= posix.join(dir, `session-${randomBytes(6).toString("hex")}`);
      return this.#folder;
    });
  }

  /** Removes the transcripts, and with `all` everything beside them. Never rejects and does not wait for long. */
  async dispose({ all = true } = {}): Promise<void> {
    const removed = this.#remove(all).catch(() => undefined);
    await pTimeout(removed, { milliseconds: REMOVAL_LIMIT_MS, fallback: () => undefined });
  }

  async #remove(all: boolean): Promise<void> {
    await this.#sending;
    if (this.#folder === undefined) return;
    const paths = all ? [this.#folder] : [...this.#files.values()].map(({ copy }) => copy);
    this.#files.clear();
    await Promise.all(paths.map((path) => this.runtime.remove(path)));
  }

  /** Returns the copy of a file. Each further one has its own folder, since file names may be equal. */
  #file(path: string, folder: string): RemoteCopy {
    let copy = this.#files.get(path);
    const [oldest] = this.#files.values();
    if (copy === undefined && oldest !== undefined && this.#files.size >= MAX_FILES) {
      this.#files.delete(oldest.path);
      void this.runtime.remove(oldest.copy).catch(() => undefined);
    }
    if (copy === undefined) {
      const own = this.#count === 0 ? folder : posix.join(folder, String(this.#count));
      this.#count++;
      copy = new RemoteCopy(this.runtime, path, posix.join(own, posix.basename(path)));
    }
    this.#files.delete(path);
    this.#files.set(path, copy);
    return copy;
  }
}

/** Resolves to a failure if a runtime rejects, which it should not. */
async function settled<T>(
  path: string,
  work: Promise<Result<T, port.FileFailure>>
): Promise<Result<T, port.FileFailure>> {
  return await work.catch((thrown: unknown) =>
    err({ path, code: "UNKNOWN", message: describeError(thrown) })
  );
}

/** The content to send: the whole file if `from` is 0. */
interface News {
  readonly from: number;
  /** Size of the file when it was checked. */
  readonly end: number;
  readonly first: Uint8Array;
  /** Identity of the file on this machine. */
  readonly identity: string;
}

/** The content of the copy. */
interface SentPart {
  readonly content: readNewLines.KnownPrefix;
  readonly source: string;
  /** Identity of the copy, once known. */
  readonly copy: string | undefined;
}

/** One file with its copy on the workspace's machine. */
class RemoteCopy {
  /** Absent if the content of the copy is unknown. */
  #sent: SentPart | undefined;

  constructor(
    private readonly runtime: port.HookRuntime,
    /** Absolute, on this machine. */
    readonly path: string,
    /** Absolute, on the workspace's machine. */
    readonly copy: string
  ) {}

  /** Reads on this machine what {@link send} is to send. */
  async look(): Promise<Result<News, port.FileFailure>> {
    const [stat] = await this.runtime.host.stat([this.path]);
    if (stat?.kind === "failed") return err(stat.failure);
    if (stat?.kind !== "file") {
      return stat === undefined || stat.kind === "missing"
        ? err({ path: this.path, code: "ENOENT", message: fileMissing(this.path) })
        : err({ path: this.path, code: "EINVAL", message: `${this.path} is not a regular file` });
    }
    const { size: end, identity } = stat;
    const from = (await this.#isBeginningOf(stat)) ? (this.#sent?.content.bytes ?? 0) : 0;
    const read = await this.#read(from, end);
    return read.map((first) => ({ from, end, first, identity }));
  }

  /**
   * Sends new content. Requests the first operation before it returns its promise, so that it shares a round trip with
   * other requests of the same tick.
   */
  async send(news: News, signal?: AbortSignal): Promise<Result<void, port.FileFailure>> {
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
    // From before or after the append.
    const sizes = [before.content.bytes, before.content.bytes + first.length];
    const isCopy =
      stat?.kind === "file" &&
      (before.copy === undefined || before.copy === stat.identity) &&
      sizes.includes(stat.size);
    if (!isCopy) {
      // Another program has changed the copy.
      const again = await this.look();
      return again.isErr() ? err(again.error) : await this.#sendWhole(again.value, signal);
    }
    before.content.add(first);
    return await this.#sendRest({ ...before, copy: stat.identity }, news, signal);
  }

  async #sendWhole(
    news: News,
    signal: AbortSignal | undefined
  ): Promise<Result<void, port.FileFailure>> {
    const written = await this.runtime.writeFile(this.copy, news.first);
    if (written.isErr()) return err(written.error);
    const content = new readNewLines.KnownPrefix();
    content.add(news.first);
    return await this.#sendRest({ content, source: news.identity, copy: undefined }, news, signal);
  }

  async #sendRest(
    sent: SentPart,
    { end }: News,
    signal: AbortSignal | undefined
  ): Promise<Result<void, port.FileFailure>> {
    const { content } = sent;
    while (content.bytes < end) {
      if (signal?.aborted === true) {
        const message = `the copy of ${this.path} is incomplete: interrupted`;
        return err({ path: this.path, code: "ECANCELED", message });
      }
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

  #read(offset: number, end: number): Promise<Result<Uint8Array, port.FileFailure>> {
    const maxBytes = Math.min(readNewLines.PIECE_BYTES, end - offset);
    return this.runtime.host.readFile(this.path, { offset, maxBytes });
  }

  /**
   * Returns whether the sent content is the beginning of the file. A file that was replaced, as by an edit or a
   * compaction, is compared from its first byte.
   */
  async #isBeginningOf({ size, identity }: port.PresentStat): Promise<boolean> {
    const sent = this.#sent;
    if (sent === undefined || size < sent.content.bytes) return false;
    const read: readNewLines.ReadPart = (offset, maxBytes) =>
      this.runtime.host.readFile(this.path, { offset, maxBytes });
    return await sent.content.isBeginningOf(read, identity === sent.source);
  }
}
