/**
 * Runs shell lines through Mux's own connection to the machine of a workspace (SSH, Docker or dev container), and opens
 * such a workspace for hooks. Limits the time to connect and the size of standard error; `RemoteRuntime` is responsible
 * for process trees, exit codes, signals and the time limits of programs.
 */
import { PassThrough, Readable, Writable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import pTimeout from "p-timeout";
import { deferred } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import { clip, plainText } from "@/common/safeText";
import type { HostRuntime, HostStreams, HostRuntimeConfig, HostMetadata } from "@/host/muxTypes";
import * as remote from "@/node/runtime/remote/RemoteShell";
import type { Files } from "@/node/runtime/HookRuntime";
import { RemoteRuntime, resolveRemotePath } from "@/node/runtime/remote/RemoteRuntime";

interface MuxRemoteShellLimits {
  /** The time for the host to connect: an agent that is done does not wait for an unreachable machine (H35). */
  readonly openMs: number;
  /** The time for an abandoned session to exit after the end of its input. */
  readonly lingerMs: number;
  /** The limit of standard error. Hosts up to the summer of 2026 keep all of it in one string until the end. */
  readonly errorBytes: number;
}

const LIMITS: MuxRemoteShellLimits = { openMs: 20_000, lingerMs: 1_000, errorBytes: 128 * MIB };

export class MuxRemoteShell implements remote.RemoteShell {
  readonly #limits: MuxRemoteShellLimits;

  constructor(
    readonly label: string,
    private readonly runtime: Pick<HostRuntime, "exec">,
    limits: Partial<MuxRemoteShellLimits> = {}
  ) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @param signal stops waiting for the host; an open session is ended by closing its input */
  async open(line: string, signal?: AbortSignal): Promise<remote.RemoteSession> {
    const givenUp = new AbortController();
    // The host's own time limit is not used: it ends only the local client, or has further requirements on the other
    // machine.
    const opening = withInputListener(line.slice(0, BEGINNING), () =>
      this.runtime.exec(line, { cwd: "/", abortSignal: givenUp.signal })
    );
    const opened = await openInTime(opening, this.#limits.openMs, signal);
    if ("kind" in opened) {
      givenUp.abort();
      // The session may still open, because not every host observes the signal at that point.
      void opening.then(closeStreams, () => undefined);
      return remote.failedSession(opened);
    }
    return new HostSession(opened, givenUp, this.#limits);
  }

  /** Does nothing: the connections belong to the host. */
  dispose(): Promise<void> {
    return Promise.resolve();
  }
}

/** The length of a line before its first quote: `exec sh -c`. */
const BEGINNING = 10;

class HostSession implements remote.RemoteSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<remote.SessionEnd>;
  readonly #givenUp = deferred<remote.SessionEnd>();
  #isClientOver = false;
  #errorBytes = 0;
  /**
   * Standard error until the first byte on standard output. It may be from the client itself, because the remote script
   * writes to both streams when it starts.
   */
  #earlyErrors = "";
  #hasAnswered = false;

  constructor(
    streams: HostStreams,
    private readonly client: AbortController,
    private readonly limits: MuxRemoteShellLimits
  ) {
    this.stdin = writableOf(streams);
    this.stdout = forward(streams.stdout, () => {
      this.#hasAnswered = true;
    });
    this.stderr = forward(streams.stderr, (chunk) => {
      this.#errorBytes += chunk.length;
      if (this.#errorBytes > limits.errorBytes) this.#tooMuch();
      if (!this.#hasAnswered)
        this.#earlyErrors = (this.#earlyErrors + chunk.toString()).slice(-MAX_EARLY_ERROR_CHARS);
    });
    streams.duration?.catch(() => undefined);
    this.ended = Promise.race([this.#end(streams), this.#givenUp.promise]);
  }

  /** Settles `ended` at once. The remote shell gets the end of its input; the host's client ends a little later. */
  kill(): void {
    this.#givenUp.resolve(GIVEN_UP);
    this.stdin.end();
    this.stdout.resume();
    this.stderr.resume();
    setTimeout(() => {
      this.#leave();
    }, this.limits.lingerMs).unref();
  }

  #leave(): void {
    if (!this.#isClientOver) this.client.abort();
    this.stdout.destroy();
    this.stderr.destroy();
  }

  #tooMuch(): void {
    const most = Math.floor(this.limits.errorBytes / MIB);
    this.#givenUp.resolve({
      kind: "broken",
      code: "EFBIG",
      message: `the connection was closed because more than ${most} MiB were written to standard error; let the hook print less`,
    });
    this.stdin.end();
    this.#leave();
  }

  async #end({ exitCode }: HostStreams): Promise<remote.SessionEnd> {
    let code: number;
    try {
      code = await exitCode;
    } catch (thrown) {
      return { kind: "broken", code: "ELOST", message: machineUnreachable(describeError(thrown)) };
    } finally {
      this.#isClientOver = true;
    }
    // The host uses negative codes if the shell itself did not exit. 255 is the code of a failed ssh.
    if (code >= 0 && code !== 255) return { kind: "over", code };
    if (this.#hasAnswered)
      return { kind: "broken", code: "ELOST", message: "the connection was lost" };
    const reported =
      clip(plainText(this.#earlyErrors).trim(), 500) ||
      `the program with which Mux connects to the machine ended with exit code ${code}`;
    return { kind: "broken", code: "ELOST", message: machineUnreachable(reported) };
  }
}

/** Returns a stream that ends without an error if its source is cut off. */
function forward(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Buffer) => void): Readable {
  const source = Readable.fromWeb(stream);
  const output = new PassThrough();
  source.on("data", onChunk).on("error", () => output.end());
  output.on("error", () => undefined).on("close", () => source.destroy());
  return source.pipe(output);
}

const MAX_EARLY_ERROR_CHARS = 2_000;

/** Returns a writable for standard input. It never fails: errors such as a broken pipe are ignored. */
function writableOf({ stdin }: HostStreams): Writable {
  const writer = stdin.getWriter();
  writer.closed.catch(() => undefined);
  const quietly = (work: Promise<void>, done: () => void): void => {
    void work.catch(() => undefined).then(done);
  };
  const writable = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      quietly(chunk.length === 0 ? Promise.resolve() : writer.write(chunk), done);
    },
    final(done) {
      quietly(writer.close(), done);
    },
  });
  return writable.on("error", () => undefined);
}

type Broken = Extract<remote.SessionEnd, { kind: "broken" }>;

const GIVEN_UP: Broken = { kind: "broken", ...remote.CANCELLED };

/** Returns the streams once the session is open, or a failure if it does not open in time or is cancelled. */
async function openInTime(
  opening: Promise<HostStreams>,
  openMs: number,
  signal: AbortSignal | undefined
): Promise<HostStreams | Broken> {
  const fallback = (): Broken => {
    const message = machineUnreachable(`no connection within ${openMs / 1_000} s`);
    return { kind: "broken", code: "ETIMEDOUT", message };
  };
  try {
    return await pTimeout(opening, { milliseconds: openMs, fallback, signal });
  } catch (thrown) {
    if (signal?.aborted) return GIVEN_UP;
    return { kind: "broken", code: "ELOST", message: machineUnreachable(describeError(thrown)) };
  }
}

/** Releases a session that is no longer needed. The end of its input ends the remote program. */
function closeStreams({ stdin, stdout, stderr, exitCode, duration }: HostStreams): void {
  const works = [stdin.close(), stdout.cancel(), stderr.cancel(), exitCode, duration];
  for (const work of works) work?.catch(() => undefined);
}

function machineUnreachable(detail: string): string {
  return `the machine could not be reached: ${detail}`;
}

const CHANNEL = "child_process";

/**
 * Runs `start`, and prevents a crash of hosts of early 2026. They have no error listener on their client's standard
 * input, so a write to a client that has exited ends the whole host. Node publishes every started process; those that
 * run one of our lines get a listener. It is async because some hosts throw synchronously.
 *
 * @param line the beginning of each of our lines, which is the same with any quoting by the host
 */
async function withInputListener<T>(line: string, start: () => Promise<T>): Promise<T> {
  const onMessage = (message: unknown): void => {
    const { process: child } = message as {
      process: { spawnargs?: readonly string[]; stdin?: NodeJS.WritableStream | null };
    };
    // The message is published before the process has its arguments and its pipes, or even if it could not be started.
    process.nextTick(() => {
      const words = child.spawnargs ?? [];
      if (words.some((word) => word.includes(line))) child.stdin?.on("error", () => undefined);
    });
  };
  subscribe(CHANNEL, onMessage);
  try {
    return await start();
  } finally {
    unsubscribe(CHANNEL, onMessage);
  }
}

/** The time limit to find a container that already exists. */
const READY_MS = 60_000;

/** The needed members of a `Checkout`, whose module is not copied into Mux with this file (docs/upstream). */
interface HostCheckout {
  readonly dir: string;
  readonly metadata: Pick<HostMetadata, "runtimeConfig">;
  readonly runtime?: HostRuntime;
}

/** Opens the workspace with its checkout's real path. Rejects with an error whose message describes the cause. */
export async function openRemoteWorkspace(
  workspaceId: string,
  { dir, metadata, runtime: muxRuntime }: HostCheckout,
  host: Files
): Promise<{ readonly runtime: RemoteRuntime; readonly dir: string }> {
  if (muxRuntime === undefined)
    throw new Error("this version of Mux provides no connection to the machine of the workspace");
  const label = remoteLabel(metadata.runtimeConfig ?? {}, workspaceId);
  const runtime = new RemoteRuntime(new MuxRemoteShell(label, muxRuntime), host);
  const found = await resolveRemotePath(runtime, (await folderInContainer(muxRuntime)) ?? dir);
  if (found.isErr()) throw new Error(found.error);
  return { runtime, dir: found.value };
}

/** Returns the display name of the machine. For SSH it is also the beginning of the URL for `--workspace`. */
export function remoteLabel(
  { type = "remote", host, port, containerName }: HostRuntimeConfig,
  workspaceId: string
): string {
  if (type !== "ssh" || host === undefined) return `${type}://${containerName ?? workspaceId}`;
  const [, user = "", name = host] = /^(.*@)?(.*)$/s.exec(host) ?? [];
  const where = name.includes(":") ? `[${name}]` : name;
  return `ssh://${user}${where}${port === undefined ? "" : `:${port}`}`;
}

/** Returns the folder in a dev container. It differs from the local one, and is known once the container is ready. */
async function folderInContainer(runtime: HostRuntime): Promise<string | undefined> {
  if (runtime.getRemoteWorkspaceFolder === undefined) return undefined;
  const ready = await runtime.ensureReady?.({ signal: AbortSignal.timeout(READY_MS) });
  if (ready?.ready === false) {
    throw new Error(`the dev container is not ready: ${String(ready.error)}`);
  }
  return runtime.getRemoteWorkspaceFolder();
}
