/**
 * The runtime for a workspace that the system's own OpenSSH reaches (H33), with its sessions. A session that never
 * reached the machine is tried again on another connection.
 */
import type { RemoteHookRuntime } from "@/node/runtime/HookRuntime";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import * as remote from "@/node/runtime/remote/RemoteShell";
import * as connections from "@/node/runtime/ssh/SshConnectionPool";
import * as ssh from "@/node/runtime/ssh/sshCommand";
import { sshLabel, type SshTarget } from "@/node/runtime/ssh/sshTarget";
import { PassThrough, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Result } from "neverthrow";
import pTimeout from "p-timeout";
import { isAborted, unlessAborted } from "@/common/abortable";
import { KIB } from "@/common/limits";
import { UNKNOWN_SIGNAL } from "@/node/runtime/messages";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import { sendSignal } from "@/node/runtime/process/ProcessTree";
import type { Exit, ProcessGroup } from "@/node/runtime/process/spawnGroup";

/** A runtime on another machine, whose connection lasts until it is disposed of. */
export interface SshRuntime extends RemoteHookRuntime {
  /** Removes what this session left on the other machine, as far as possible, and closes the connection. */
  dispose(): Promise<void>;
}

/**
 * Returns a runtime for a workspace reached through the system's own OpenSSH (H33), and so with the user's ssh_config,
 * agent and jump hosts. It connects on first use. The caller must dispose of it.
 */
export function openSshRuntime(
  target: Omit<SshTarget, "path">,
  options: ssh.SshOptions = {}
): SshRuntime {
  return new RemoteRuntime(new SshShell({ target, ...options }), new LocalFiles());
}

/**
 * A shell on a machine reached through the system's own OpenSSH, with the user's ssh_config, agent and jump hosts. It
 * never prompts. It does not connect before the first session.
 */
export class SshShell implements remote.RemoteShell {
  readonly label: string;
  readonly #pool: connections.SshConnectionPool;

  constructor(private readonly connection: ssh.SshDestination) {
    this.label = sshLabel(connection.target);
    this.#pool = new connections.SshConnectionPool(connection);
  }

  /** @param signal stops waiting for a connection; an open session is ended by closing its input */
  async open(line: string, signal?: AbortSignal): Promise<remote.RemoteSession> {
    const takeSlot = () => this.#pool.take(signal);
    const slot = await takeSlot();
    return slot.isErr()
      ? remote.failedSession({ kind: "broken", ...slot.error })
      : new SshSession(this.connection, line, slot.value, takeSlot);
  }

  async dispose(): Promise<void> {
    await this.#pool.dispose();
  }
}

/** How many times a session is tried if it does not reach the other machine. */
const MAX_TRIES = 8;
const PAUSE_MS = 20;
/** How long the reason for the end of a connection may take to be reported. */
const STDERR_DRAIN_MS = 1_000;
/**
 * How long ssh may take to end by itself after the session was given up. It ends when the other machine's shell does.
 */
const GIVEN_UP_MS = 1_000;

/** The message of ssh when its connection process refused a session. Under load it exits after this message. */
const REQUEST_FAILED = "session request failed";
/** Printed when the master ended during the request: the session may have begun. */
const MAYBE_BEGUN = "read from master failed";
/** Printed when sshd's session limit is reached (MaxSessions). */
const REFUSED = "Session open refused by peer";

/** Why a session never reached the other machine. */
interface NotBegun {
  readonly kind: "refused" | "lost";
  readonly failure: ssh.SshFailure;
}

/**
 * One command line that the other machine runs. Until its first byte arrives, the request may turn out never to have
 * reached that machine, because the connection has just ended or accepts no more sessions. Only in that case is the
 * session tried on another connection, with the input written so far.
 */
class SshSession implements remote.RemoteSession {
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly ended: Promise<remote.SessionEnd>;

  #group: ProcessGroup | undefined;
  /** The input written so far, kept as long as it may have to be sent again. */
  #written: Buffer[] | undefined = [];
  #isInputOver = false;
  readonly #givenUp = new AbortController();

  constructor(
    private readonly connection: ssh.SshDestination,
    private readonly line: string,
    slot: connections.SessionSlot,
    private readonly takeSlot: () => Promise<Result<connections.SessionSlot, ssh.SshFailure>>
  ) {
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#written?.push(chunk);
        const input = this.#group?.stdin;
        if (input?.writable !== true) {
          done();
          return;
        }
        input.write(chunk, () => {
          done();
        });
      },
      final: (done) => {
        this.#endInput();
        done();
      },
      destroy: (_error, done) => {
        this.#endInput();
        done(null);
      },
    });
    this.stdin.on("error", () => undefined);
    this.ended = this.#run(slot);
  }

  /**
   * Ends the session for the caller at once, and closes its input. Its slot on the connection is released when the
   * other machine has ended the session too, at the latest a little after `GIVEN_UP_MS`.
   */
  kill(): void {
    if (isAborted(this.#givenUp.signal)) return;
    this.#givenUp.abort();
    this.#endInput();
    if (this.#group !== undefined) letEnd(this.#group);
  }

  async #run(slot: connections.SessionSlot): Promise<remote.SessionEnd> {
    const ended = await unlessAborted(this.#runSomewhere(slot), this.#givenUp.signal);
    const end: remote.SessionEnd = ended ?? { kind: "broken", ...remote.CANCELLED };
    this.#written = undefined;
    this.stdin.destroy();
    this.stdout.end();
    this.stderr.end();
    return end;
  }

  async #runSomewhere(slot: connections.SessionSlot): Promise<remote.SessionEnd> {
    for (let tries = 1; ; tries++) {
      const end = await this.#runOn(slot.master);
      if (end.kind === "refused" || end.kind === "lost") slot[end.kind]();
      slot.release();
      if (end.kind === "over" || end.kind === "broken") return end;
      if (tries === MAX_TRIES) return { kind: "broken", ...end.failure };
      // The other machine may still count a session that has ended on this one.
      await delay((tries - 1) * PAUSE_MS);
      const next = await this.takeSlot();
      if (next.isErr()) return { kind: "broken", ...next.error };
      slot = next.value;
    }
  }

  async #runOn(master: connections.SshConnection): Promise<remote.SessionEnd | NotBegun> {
    if (isAborted(this.#givenUp.signal)) return { kind: "broken", ...remote.CANCELLED };
    const args = ssh.sshArguments(this.connection, master.socket, this.line);
    const spawned = await ssh.startSsh("ssh", args, this.connection);
    if (spawned.isErr()) return { kind: "broken", ...ssh.noSsh() };
    const group = (this.#group = spawned.value);
    const words = this.#connectOutput(group);
    for (const chunk of this.#written ?? []) group.stdin?.write(chunk);
    if (this.#isInputOver) group.stdin?.end();
    if (isAborted(this.#givenUp.signal)) letEnd(group);

    const exit = await group.exited;
    // Only ssh and its master hold the pipes. After the session was given up, the master may hold them for a long time.
    await unlessAborted(group.closed, this.#givenUp.signal);
    group.release();
    return await this.#judge(exit, words.read().text, master);
  }

  /** @returns the messages that may be from ssh itself */
  #connectOutput({ stdout, stderr }: ProcessGroup): OutputCapture {
    const words = new OutputCapture(8 * KIB);
    stdout.once("data", () => {
      this.#written = undefined;
    });
    stderr.on("data", (chunk: Buffer) => {
      if (this.#written !== undefined) words.push(chunk);
    });
    stdout.pipe(this.stdout, { end: false });
    stderr.pipe(this.stderr, { end: false });
    return words;
  }

  #endInput(): void {
    this.#isInputOver = true;
    this.#group?.stdin?.end();
  }

  /** Determines how a session ended. ssh has one exit code for all its errors, and the command's may be the same. */
  async #judge(
    { code, signal }: Exit,
    words: string,
    master: connections.SshConnection
  ): Promise<remote.SessionEnd | NotBegun> {
    if (isAborted(this.#givenUp.signal)) return { kind: "broken", ...remote.CANCELLED };
    if (code === null) {
      const message = `the ssh process of the connection was killed by ${signal ?? UNKNOWN_SIGNAL}`;
      return { kind: "broken", code: "ECONNRESET", message };
    }
    if (code !== 255) return { kind: "over", code };
    const isBegun = this.#written === undefined || words.includes(MAYBE_BEGUN);
    if (!isBegun && (words.includes(REQUEST_FAILED) || words.includes(ssh.NO_CONNECTION))) {
      const failure = ssh.explainSsh(words, this.connection.target);
      return { kind: words.includes(REFUSED) ? "refused" : "lost", failure };
    }
    if (await master.isAlive()) return { kind: "over", code };
    const reason = await pTimeout(master.closed, {
      milliseconds: STDERR_DRAIN_MS,
      fallback: () => ssh.explainSsh("closed by", this.connection.target),
    });
    return { kind: "broken", ...reason };
  }
}

/** Discards the remaining output and lets ssh end in the background, where it is killed after `GIVEN_UP_MS`. */
function letEnd(group: ProcessGroup): void {
  group.stdout.unpipe().resume();
  group.stderr.unpipe().resume();
  group.unref();
  const timer = setTimeout(() => {
    sendSignal(-group.leader, "SIGKILL");
  }, GIVEN_UP_MS).unref();
  void group.exited.then(() => {
    clearTimeout(timer);
  });
}
