/** Transcripts of a session that its hooks read on another machine (H34). */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import type { FileFailure, RemoteHookRuntime } from "@/node/runtime/HookRuntime";
import { RemoteCopy, type News } from "@/node/services/hooks/transcript/RemoteCopy";

export interface Mirrored {
  /** By path on this machine: where it lies on the workspace's. */
  readonly copies: ReadonlyMap<string, string>;
  /** Why one of them is not there, or not whole. */
  readonly failure?: FileFailure;
}

/** Asks for the first operations before it returns. Never rejects. */
export type SendNews = (signal?: AbortSignal) => Promise<Mirrored>;

/** More than the transcripts of any session. */
const MAX_FILES = 16;
/** How long the end of a session waits for a machine that may be gone. */
const REMOVAL_LIMIT_MS = 5_000;

export class TranscriptMirror {
  /** By path on this machine, in the order of use. */
  readonly #files = new Map<string, RemoteCopy>();
  #folder: string | undefined;
  #count = 0;
  /** What is being sent, of one stop after the other. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly runtime: RemoteHookRuntime) {}

  /** Looks here for what is new in these files (absolute paths), for the answer to send it. Never rejects. */
  async look(paths: readonly string[]): Promise<SendNews> {
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
    return (signal) => {
      const sent = Promise.all(looks.map((look) => send(look, signal)));
      this.#sending = sent;
      return sent.then(collect);
    };
  }

  /** A folder of this session on the workspace's machine, which need not be there yet. */
  async folder(): Promise<Result<string, FileFailure>> {
    if (this.#folder !== undefined) return ok(this.#folder);
    const scratch = await settled("", this.runtime.scratchDir());
    return scratch.map((dir) => {
      this.#folder ??= posix.join(dir, `session-${randomBytes(6).toString("hex")}`);
      return this.#folder;
    });
  }

  /** Takes the transcripts away, and with `all` whatever else lies beside them. Never rejects, never waits for long. */
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

  #file(path: string, folder: string): RemoteCopy {
    const known = this.#files.get(path) ?? this.#newFile(path, folder);
    this.#files.delete(path);
    this.#files.set(path, known);
    return known;
  }

  /** By the name that hooks know; a second one in a folder of its own, since it may have the same. */
  #newFile(path: string, folder: string): RemoteCopy {
    const [oldest] = this.#files.values();
    if (oldest !== undefined && this.#files.size >= MAX_FILES) {
      this.#files.delete(oldest.path);
      void this.runtime.remove(oldest.copy).catch(() => undefined);
    }
    const own = this.#count === 0 ? folder : posix.join(folder, String(this.#count));
    this.#count++;
    return new RemoteCopy(this.runtime, path, posix.join(own, posix.basename(path)));
  }
}

interface CopyPlan {
  readonly file: RemoteCopy;
  readonly news: Result<News, FileFailure>;
}

type SentFile = Pick<CopyPlan, "file"> & { readonly sent: Result<void, FileFailure> };

async function send({ file, news }: CopyPlan, signal: AbortSignal | undefined): Promise<SentFile> {
  if (news.isErr()) return { file, sent: err(news.error) };
  return { file, sent: await settled(file.path, file.send(news.value, signal)) };
}

function collect(files: readonly SentFile[]): Mirrored {
  const copies = new Map<string, string>();
  let failure: FileFailure | undefined;
  for (const { file, sent } of files) {
    if (sent.isOk()) copies.set(file.path, file.copy);
    else failure ??= sent.error;
  }
  return { copies, ...(failure === undefined ? {} : { failure }) };
}

/** Also of a runtime that does not keep its word. */
async function settled<T>(
  path: string,
  work: Promise<Result<T, FileFailure>>
): Promise<Result<T, FileFailure>> {
  return await work.catch((thrown: unknown) =>
    err({ path, code: "UNKNOWN", message: describeError(thrown) })
  );
}
