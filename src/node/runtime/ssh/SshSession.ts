import { PassThrough, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Result } from "neverthrow";
import { unlessAborted } from "@/common/abort";
import { KIB } from "@/common/limits";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import { sendSignal } from "@/node/runtime/process/sendSignal";
import { spawnGroup, type Exit, type ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type { RemoteSession, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import {
  sessionArguments,
  sshEnvironment,
  type SshDestination,
} from "@/node/runtime/ssh/sshArguments";
import { explainSsh, GIVEN_UP, noSsh, type SshFailure } from "@/node/runtime/ssh/sshErrors";
import type { SshConnection } from "@/node/runtime/ssh/SshConnection";
import type { SessionSlot } from "@/node/runtime/ssh/SshConnectionPool";

/** How often a session is asked for that never reached the other side. */
const MAX_TRIES = 8;
const PAUSE_MS = 20;
/** How long the end of a connection may take to be heard of. */
const LAST_WORDS_MS = 1_000;
/** How long ssh has to end by itself, which it does with the other side, once nobody wants the session any more. */
const GIVEN_UP_MS = 1_000;

/** What ssh prints when its master gave it no session, and it went on to a connection of its own. */
const NO_SESSION = /(kex|ssh)_exchange_identification|UNKNOWN port 65535/;
/** The master took the request and was gone: the session may have begun. */
const MAYBE_BEGUN = "read from master failed";
/** sshd has enough of them (MaxSessions). */
const REFUSED = "Session open refused by peer";

/** The other side has not been asked, and why. */
interface NotBegun {
  readonly kind: "refused" | "lost";
  readonly failure: SshFailure;
}

/**
 * One line that the other side runs. Until a first byte comes from there it may turn out that it has not even been
 * asked: the connection has just ended, or takes no further session. Then, and only then, the session is tried on
 * another one, with the input that has been written by then.
 */
export class SshSession implements RemoteSession {
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly ended: Promise<SessionEnd>;

  #group: ProcessGroup | undefined;
  /** What has been written, for as long as it may have to be written again. */
  #written: Buffer[] | undefined = [];
  #isInputOver = false;
  readonly #givenUp = new AbortController();

  constructor(
    private readonly connection: SshDestination,
    private readonly line: string,
    lease: SessionSlot,
    private readonly takeLease: () => Promise<Result<SessionSlot, SshFailure>>
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
    this.ended = this.#run(lease);
  }

  /**
   * For us the session is over at once. Its place on the connection is free once it is over on the other side, too, which
   * sees the end of its input; or else soon after.
   */
  kill(): void {
    if (this.#isGivenUp()) return;
    this.#givenUp.abort();
    this.#endInput();
    if (this.#group !== undefined) letEnd(this.#group);
  }

  async #run(lease: SessionSlot): Promise<SessionEnd> {
    const ended = await unlessAborted(this.#runSomewhere(lease), this.#givenUp.signal);
    const end: SessionEnd = ended ?? { kind: "broken", ...GIVEN_UP };
    this.#written = undefined;
    this.stdin.destroy();
    this.stdout.end();
    this.stderr.end();
    return end;
  }

  async #runSomewhere(lease: SessionSlot): Promise<SessionEnd> {
    for (let tries = 1; ; tries++) {
      const end = await this.#runOn(lease.master);
      if (end.kind === "refused" || end.kind === "lost") lease[end.kind]();
      lease.release();
      if (end.kind === "over" || end.kind === "broken") return end;
      if (tries === MAX_TRIES) return { kind: "broken", ...end.failure };
      // Where one is over for us, the other side may still count it.
      await delay((tries - 1) * PAUSE_MS);
      const next = await this.takeLease();
      if (next.isErr()) return { kind: "broken", ...next.error };
      lease = next.value;
    }
  }

  async #runOn(master: SshConnection): Promise<SessionEnd | NotBegun> {
    if (this.#isGivenUp()) return { kind: "broken", ...GIVEN_UP };
    const spawned = await spawnGroup(
      {
        file: "ssh",
        args: sessionArguments(this.connection, master.socket, this.line),
        cwd: "/",
        env: sshEnvironment(this.connection),
      },
      { holdStdin: true }
    );
    if (spawned.isErr()) return { kind: "broken", ...noSsh() };
    const group = (this.#group = spawned.value);
    const words = this.#connectOutput(group);
    for (const chunk of this.#written ?? []) group.stdin?.write(chunk);
    if (this.#isInputOver) group.stdin?.end();
    if (this.#isGivenUp()) letEnd(group);

    const exit = await group.exited;
    // Nobody but ssh and its master holds the pipes; where we have given up, the master may for long.
    await unlessAborted(group.closed, this.#givenUp.signal);
    group.release();
    return await this.#judge(exit, words.read().text, master);
  }

  #isGivenUp(): boolean {
    return this.#givenUp.signal.aborted;
  }

  /** @returns what ssh itself may have had to say */
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

  /** ssh has one code for whatever befalls it, and passes on that of the other side, which may be the same. */
  async #judge(
    { code, signal }: Exit,
    words: string,
    master: SshConnection
  ): Promise<SessionEnd | NotBegun> {
    if (this.#isGivenUp()) return { kind: "broken", ...GIVEN_UP };
    if (code === null) {
      const message = `the ssh of a session was ended by ${signal ?? "an unknown signal"}`;
      return { kind: "broken", code: "ECONNRESET", message };
    }
    if (code !== 255) return { kind: "over", code };
    const isBegun = this.#written === undefined || words.includes(MAYBE_BEGUN);
    if (!isBegun && NO_SESSION.test(words)) {
      const failure = explainSsh(words, this.connection.target);
      return { kind: words.includes(REFUSED) ? "refused" : "lost", failure };
    }
    if (await master.isAlive()) return { kind: "over", code };
    const noMessage = delay(LAST_WORDS_MS, explainSsh("closed by", this.connection.target), {
      ref: false,
    });
    return { kind: "broken", ...(await Promise.race([master.closed, noMessage])) };
  }
}

/** Nobody listens any more, and nobody waits. */
function letEnd(group: ProcessGroup): void {
  group.stdout.unpipe().resume();
  group.stderr.unpipe().resume();
  group.unref();
  const timer = setTimeout(() => {
    sendSignal(-group.leader, "SIGKILL");
  }, GIVEN_UP_MS);
  timer.unref();
  void group.exited.then(() => {
    clearTimeout(timer);
  });
}
