/**
 * Makes the SSH connections to one machine, each a process with a socket in a private folder, distributes sessions
 * among them within the limits of sshd, and ends them.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { unlessAborted } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { KIB } from "@/common/limits";
import { notStarted } from "@/node/runtime/messages";
import { sendSignal } from "@/node/runtime/process/ProcessTree";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import { outputDrained } from "@/node/runtime/process/waitForExit";
import { CANCELLED } from "@/node/runtime/remote/RemoteShell";
import script from "@/node/runtime/ssh/connection.sh";
import * as ssh from "@/node/runtime/ssh/sshCommand";

/** Fewer than the 10 sessions per connection that sshd allows by default. */
const SESSIONS_PER_CONNECTION = 8;
const MAX_CONNECTIONS = 4;
/** How long after the last change another connection is made. A short session releases its slot sooner. */
const PATIENCE_MS = 200;

interface PooledConnection {
  readonly started: Promise<Result<SshConnection, ssh.SshFailure>>;
  room: number;
  taken: number;
}

/** A slot for one session on a connection. */
export interface SessionSlot {
  readonly master: SshConnection;
  /** Must be called once. */
  release(): void;
  /** Reports that the other machine accepts fewer sessions on this connection than expected. */
  refused(): void;
  /** Reports that its socket no longer answers, so the connection gets no more sessions. */
  lost(): void;
}

/**
 * The connections to one machine. The first one is made for the first session, and again when it was lost. Another one
 * is made when more sessions are needed at once than one connection allows.
 */
export class SshConnectionPool {
  /** The connections that get sessions. */
  #all: PooledConnection[] = [];
  readonly #started = new Set<SshConnection>();
  #most = MAX_CONNECTIONS;
  #waiting: (() => void)[] = [];
  #lastChange = 0;
  readonly #disposed = new AbortController();

  constructor(private readonly connection: ssh.SshDestination) {}

  /** Waits for a free slot and takes it. */
  async take(signal?: AbortSignal): Promise<Result<SessionSlot, ssh.SshFailure>> {
    for (;;) {
      if (this.#disposed.signal.aborted) return err(ssh.CLOSED);
      if (signal?.aborted) return err(CANCELLED);
      const free = this.#all.find(({ taken, room }) => taken < room);
      const pooled = free ?? (this.#mayGrow() ? this.#grow() : undefined);
      if (pooled === undefined) {
        await this.#change(signal);
        continue;
      }
      pooled.taken++;
      const started = await unlessAborted(pooled.started, signal);
      if (started === undefined) {
        this.#releaseSlot(pooled);
        return err(CANCELLED);
      }
      if (started.isOk()) return ok(this.#slot(pooled, started.value));
      this.#releaseSlot(pooled);
      this.#remove(pooled);
      // If other connections are up, this was one more than the other machine accepts.
      if (this.#all.length === 0) return err(started.error);
      this.#most = this.#all.length;
    }
  }

  async dispose(): Promise<void> {
    this.#disposed.abort();
    const all = this.#all.splice(0);
    this.#changed();
    await Promise.all(all.map(({ started }) => started));
    await Promise.all([...this.#started].map((master) => master.stop()));
  }

  #mayGrow(): boolean {
    if (this.#all.length === 0) return true;
    if (this.#started.size === 0 || this.#all.length >= this.#most) return false;
    return this.#patienceLeft() <= 0;
  }

  #patienceLeft(): number {
    return this.#lastChange + PATIENCE_MS - performance.now();
  }

  #grow(): PooledConnection {
    const started = SshConnection.start(this.connection, this.#disposed.signal);
    const pooled: PooledConnection = { started, room: SESSIONS_PER_CONNECTION, taken: 0 };
    this.#all.push(pooled);
    void started.then(async (result) => {
      if (result.isErr()) return;
      const master = result.value;
      this.#started.add(master);
      this.#changed();
      await master.closed;
      this.#started.delete(master);
      this.#remove(pooled);
    });
    return pooled;
  }

  #slot(pooled: PooledConnection, master: SshConnection): SessionSlot {
    return {
      master,
      release: () => {
        this.#releaseSlot(pooled);
      },
      refused: () => {
        pooled.room = Math.max(1, Math.min(pooled.room, pooled.taken) - 1);
      },
      lost: () => {
        this.#remove(pooled);
      },
    };
  }

  #releaseSlot(pooled: PooledConnection): void {
    pooled.taken--;
    this.#changed();
  }

  #remove(pooled: PooledConnection): void {
    this.#all = this.#all.filter((other) => other !== pooled);
    if (this.#all.length === 0) this.#most = MAX_CONNECTIONS;
    this.#changed();
  }

  /** Wakes the waiting callers. They look for a slot again in their order of arrival. */
  #changed(): void {
    this.#lastChange = performance.now();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #change(signal: AbortSignal | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const changed = new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      const left = this.#patienceLeft();
      if (left > 0) timer = setTimeout(resolve, Math.ceil(left));
    });
    await unlessAborted(changed, signal);
    clearTimeout(timer);
  }
}

/** The limit for logging in. ssh itself only limits connecting. */
const LOGIN_MS = 30_000;
const STOP_MS = 2_000;
const SHELL = "/bin/sh";
const SOCKET_NAME = "s";
const FOLDER_PREFIX = "mux-ssh-";
/** The length of the suffix that `mkdtemp` adds. */
const RANDOM_CHARS = 6;

/** One connection to another machine, in a process of its own, shared by any number of sessions. */
export class SshConnection {
  #isOver = false;

  private constructor(
    readonly socket: string,
    private readonly group: ProcessGroup,
    /** Resolved with the reason once the connection is gone. */
    readonly closed: Promise<ssh.SshFailure>
  ) {
    void closed.then(() => {
      this.#isOver = true;
    });
  }

  /** Connects and logs in. Gives up when `signal` aborts. */
  static async start(
    connection: ssh.SshDestination,
    signal: AbortSignal
  ): Promise<Result<SshConnection, ssh.SshFailure>> {
    const folder = await makeFolder();
    if (folder.isErr()) return err(folder.error);
    const socket = join(folder.value, SOCKET_NAME);
    const words = [folder.value, "ssh", ...ssh.sshArguments(connection, socket)];
    const spawned = await ssh.startSsh(SHELL, ["-c", script, "sh", ...words], connection);
    if (spawned.isErr()) {
      await removeFolder(socket);
      const message = notStarted.other(SHELL, describeError(spawned.error));
      return err({ code: "ENOENT", message });
    }
    const group = spawned.value;
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` awaits it
    const closed = lastWords(group, connection).finally(() => removeFolder(socket));
    const master = new SshConnection(socket, group, closed);
    return await master.#ready(connection, signal);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns whether the connection's process accepts sessions. It may have ended before `closed` resolves. */
  isAlive(): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    const probe = connect(this.socket);
    // `once` rejects with the `error` event.
    return once(probe, "connect").then(
      () => {
        probe.destroy();
        return true;
      },
      () => false
    );
  }

  /** Ends the connection and its sessions. Resolves once its process and its folder are gone, or after SIGKILL. */
  async stop(): Promise<void> {
    this.group.stdin?.end();
    // Its timer also keeps this process alive meanwhile, which the connection itself does not.
    const reason = await pTimeout(this.closed, {
      milliseconds: STOP_MS,
      fallback: () => undefined,
    });
    if (reason !== undefined) return;
    sendSignal(-this.group.leader, "SIGKILL");
    await removeFolder(this.socket);
  }

  async #ready(
    { target }: ssh.SshDestination,
    signal: AbortSignal
  ): Promise<Result<SshConnection, ssh.SshFailure>> {
    const deadline = performance.now() + LOGIN_MS;
    while (!this.#isOver) {
      // ssh moves the socket into place once the login is done.
      if (existsSync(this.socket)) {
        this.group.unref();
        return ok(this);
      }
      const isLate = performance.now() > deadline;
      if (isLate || signal.aborted) {
        await this.stop();
        return err(isLate ? ssh.explainSsh("login timed out", target) : ssh.CLOSED);
      }
      await Promise.race([delay(5), this.closed]);
    }
    return err(await this.closed);
  }
}

/** Waits for ssh to end and returns the failure that it reported. */
async function lastWords(
  group: ProcessGroup,
  connection: ssh.SshDestination
): Promise<ssh.SshFailure> {
  const stderr = new OutputCapture(16 * KIB);
  group.stdout.resume();
  group.stderr.on("data", (chunk: Buffer) => {
    stderr.push(chunk);
  });
  const { code } = await group.exited;
  await outputDrained(group);
  group.release();
  return code === 127 ? ssh.noSsh() : ssh.explainSsh(stderr.read().text, connection.target);
}

/**
 * Creates a folder that only this user may enter; otherwise another user could replace the socket. The path of a socket
 * is at most 104 bytes long, of which ssh needs 17 while it creates the socket.
 */
async function makeFolder(): Promise<Result<string, ssh.SshFailure>> {
  const longest = 104 - 17 - `/${FOLDER_PREFIX}/${SOCKET_NAME}\0`.length - RANDOM_CHARS;
  const parents = [process.env.XDG_RUNTIME_DIR ?? "", tmpdir(), "/tmp"];
  for (const parent of parents) {
    if (!parent.startsWith("/") || Buffer.byteLength(parent) > longest) continue;
    const folder = await mkdtemp(join(parent, FOLDER_PREFIX)).catch(() => undefined);
    if (folder !== undefined) return ok(folder);
  }
  return err({
    code: "EACCES",
    message: `no folder for the socket of the SSH connection can be created in ${parents.filter(Boolean).join(" or ")}; set TMPDIR to a writable folder with a short path`,
  });
}

/** Removes the socket's folder, in case the connection's shell was killed or found no `rm`. */
async function removeFolder(socket: string): Promise<void> {
  await rm(dirname(socket), { recursive: true, force: true }).catch(() => undefined);
}
