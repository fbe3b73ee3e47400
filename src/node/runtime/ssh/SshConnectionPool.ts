import { err, ok, type Result } from "neverthrow";
import { unlessAborted } from "@/common/abort";
import type { SshDestination } from "@/node/runtime/ssh/sshArguments";
import { CANCELLED } from "@/node/runtime/remote/failedSession";
import { CLOSED, type SshFailure } from "@/node/runtime/ssh/sshErrors";
import { SshConnection } from "@/node/runtime/ssh/SshConnection";

/** sshd allows 10 sessions per connection by default. */
const SESSIONS_PER_CONNECTION = 8;
const MAX_CONNECTIONS = 4;
/** How long after the last change another connection is made. A short session releases its slot sooner. */
const PATIENCE_MS = 200;

interface PooledConnection {
  readonly started: Promise<Result<SshConnection, SshFailure>>;
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

  constructor(private readonly connection: SshDestination) {}

  /** Waits for a free slot and takes it. */
  async take(signal?: AbortSignal): Promise<Result<SessionSlot, SshFailure>> {
    for (;;) {
      if (this.#disposed.signal.aborted) return err(CLOSED);
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
