import { Readable, Writable } from "node:stream";
import type { RemoteSession, SessionEnd } from "@/node/runtime/remote/RemoteShell";

/** The failure of a session that its caller has cancelled. */
export const CANCELLED = {
  code: "ECANCELED",
  message: "the connection to the machine was cancelled",
} as const;

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
