/** Copies the transcripts of a session to the other machine that its hooks run on (H34). */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import type { FileFailure, RemoteHookRuntime } from "@/node/runtime/HookRuntime";
import { RemoteCopy, type News } from "@/node/services/hooks/transcript/RemoteCopy";

export interface Mirrored {
  /** Paths of the copies on the workspace's machine, by path on this machine. */
  readonly copies: ReadonlyMap<string, string>;
  /** Why a copy is missing or incomplete. */
  readonly failure?: FileFailure;
}

/** A function that sends new content. It requests the first operations before it returns its promise. Never rejects. */
export type SendNews = (signal?: AbortSignal) => Promise<Mirrored>;

/** More than the transcripts of any session. */
const MAX_FILES = 16;
/** How long the end of a session waits for a machine that may be unreachable. */
const REMOVAL_LIMIT_MS = 5_000;

export class TranscriptMirror {
  /** By path on this machine, in order of use. */
  readonly #files = new Map<string, RemoteCopy>();
  #folder: string | undefined;
  #count = 0;
  /** The latest transfer. Stops are sent one after the other. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly runtime: RemoteHookRuntime) {}

  /**
   * Finds new content of these files (absolute paths) on this machine. Returns a function to send it. Never rejects.
   */
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

  /** Returns a folder of this session on the workspace's machine, which may not exist yet. */
  async folder(): Promise<Result<string, FileFailure>> {
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

  #file(path: string, folder: string): RemoteCopy {
    const known = this.#files.get(path) ?? this.#newFile(path, folder);
    this.#files.delete(path);
    this.#files.set(path, known);
    return known;
  }

  /** Creates a copy with the same file name. Each further copy has its own folder, since file names may be equal. */
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

/** Resolves to a failure if a runtime rejects, which it should not. */
async function settled<T>(
  path: string,
  work: Promise<Result<T, FileFailure>>
): Promise<Result<T, FileFailure>> {
  return await work.catch((thrown: unknown) =>
    err({ path, code: "UNKNOWN", message: describeError(thrown) })
  );
}
