/**
 * The interface to another machine: it starts a shell that runs a command line, and returns its streams. OpenSSH is one
 * implementation, the runtimes of a host (SSH, Docker, dev container) are others. `failingFast` lets sessions fail at
 * once for 5 s after one that waited for the machine in vain (H35); `failedSession` is the session of a failure.
 */
import { Readable, Writable } from "node:stream";

export interface RemoteShell {
  /** The machine's name in messages: `ssh://host`. */
  readonly label: string;
  /**
   * Runs one line in the machine's login shell. The line is printable ASCII without a newline, and has the same meaning
   * in every shell that is used as a login shell.
   */
  open(line: string, signal?: AbortSignal): Promise<RemoteSession>;
  /** Closes the connection. */
  dispose(): Promise<void>;
}

export interface RemoteSession {
  /** Its end notifies the other machine that the session is no longer wanted. Never throws, even for a broken pipe. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolved once the session is over on this machine. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /** Gives the session up on this machine at once. */
  kill(): void;
}

/** `broken`: the machine could not be reached, or was lost. The message gives the reason and the next step. */
export type SessionEnd =
  | { readonly kind: "over"; readonly code: number }
  | { readonly kind: "broken"; readonly code?: string; readonly message: string };

/** The failure of a session that its caller has cancelled. */
export const CANCELLED = {
  code: "ECANCELED",
  message: "the connection to the machine was cancelled",
} as const;

/** How long sessions fail at once after one that did not reach the machine. */
const FAILED_MS = 5_000;

/** The codes of failures that take their time. After any other one, the connection may be back already. */
const SLOW: readonly (string | undefined)[] = ["ETIMEDOUT", "EHOSTUNREACH"];

/**
 * Returns the shell, whose sessions fail at once for a moment after one that waited for the machine in vain: a stop has
 * many of them, and each would wait as long for the same failure (H35).
 */
export function failingFast(shell: RemoteShell): RemoteShell {
  let failure: Parameters<typeof failedSession>[0] | undefined;
  return {
    label: shell.label,
    dispose: () => shell.dispose(),
    async open(line, signal) {
      if (failure !== undefined) return failedSession(failure);
      const session = await shell.open(line, signal);
      void session.ended.then((end) => {
        const { readableDidRead, readableLength } = session.stdout;
        const hasReplied = readableDidRead || readableLength > 0;
        if (end.kind !== "broken" || hasReplied || !SLOW.includes(end.code)) return;
        failure = end;
        setTimeout(() => (failure = undefined), FAILED_MS).unref();
      });
      return session;
    },
  };
}

/** Returns a session that could not be opened: its streams are over, and its input is discarded. */
export function failedSession(end: Extract<SessionEnd, { kind: "broken" }>): RemoteSession {
  return {
    stdin: new Writable({
      write(_chunk, _encoding, done) {
        done();
      },
    }),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    ended: Promise.resolve(end),
    kill() {
      // There is no session to end.
    },
  };
}
