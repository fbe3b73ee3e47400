import { err, ok, type Result } from "neverthrow";
import { unlessAborted } from "@/common/abort";
import type { SshDestination } from "@/node/runtime/ssh/sshArguments";
import { GIVEN_UP, LET_GO, type SshFailure } from "@/node/runtime/ssh/sshErrors";
import { SshConnection } from "@/node/runtime/ssh/SshConnection";

/** sshd lets 10 sessions share a connection unless it is told otherwise. */
const SESSIONS_PER_CONNECTION = 8;
const MAX_CONNECTIONS = 4;
/** While sessions are short a place is free sooner than another connection made: wait for as long as they come to an end. */
const PATIENCE_MS = 200;

interface PooledConnection {
  readonly started: Promise<Result<SshConnection, SshFailure>>;
  room: number;
  taken: number;
}

/** A place for one session on a connection. */
export interface SessionSlot {
  readonly master: SshConnection;
  /** To be called once. */
  release(): void;
  /** The other side takes fewer sessions on this connection than we thought. */
  refused(): void;
  /** Nobody answers at its socket: no more sessions for it. */
  lost(): void;
}

/**
 * The connections to one machine: the first one is made when the first session is wanted and is made anew when it is
 * lost; a further one is made when more sessions are wanted at once than one may have.
 */
export class SshConnectionPool {
  /** Those that get sessions. */
  #all: PooledConnection[] = [];
  readonly #started = new Set<SshConnection>();
  #most = MAX_CONNECTIONS;
  #waiting: (() => void)[] = [];
  #lastChange = 0;
  readonly #disposed = new AbortController();

  constructor(private readonly connection: SshDestination) {}

  /** Waits for a place. */
  async take(signal?: AbortSignal): Promise<Result<SessionSlot, SshFailure>> {
    for (;;) {
      if (this.#disposed.signal.aborted) return err(LET_GO);
      if (signal?.aborted) return err(GIVEN_UP);
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
        return err(GIVEN_UP);
      }
      if (started.isOk()) return ok(this.#slot(pooled, started.value));
      this.#releaseSlot(pooled);
      this.#remove(pooled);
      // Where others are up, this one was one too many for the other side.
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
    const isUp = this.#started.size > 0;
    return isUp && this.#all.length < this.#most && this.#patienceLeft() <= 0;
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

  /** Whoever waits looks again, in the order in which they came. */
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
