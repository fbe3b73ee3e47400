/**
 * The narrow door to another machine: a command line goes in, a running shell with its streams comes out. OpenSSH is
 * one way through it, the runtimes of a host (SSH, Docker, dev container) are another.
 */
import type { Readable, Writable } from "node:stream";

export interface RemoteShell {
  /** What a person would call the machine in a message: `ssh://host`. */
  readonly label: string;
  /**
   * Has the machine's login shell run one line. The line is of printable ASCII without a newline, and means the same
   * to every shell that is somebody's login shell.
   */
  open(line: string, signal?: AbortSignal): Promise<RemoteSession>;
  /** Lets go of the connection. */
  dispose(): Promise<void>;
}

export interface RemoteSession {
  /** Its end tells the far side that nobody waits any more. Never throws: a broken pipe is no news. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. Resolved once the session is over on this side. */
  readonly ended: Promise<SessionEnd>;
  /** Gives the session up on this side at once. */
  kill(): void;
}

/** `broken`: the machine could not be reached, or was lost; the message says which, and what to do. */
export type SessionEnd =
  | { readonly kind: "over"; readonly code: number }
  | { readonly kind: "broken"; readonly code?: string; readonly message: string };
