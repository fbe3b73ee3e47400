import { Readable, Writable } from "node:stream";
import type { RemoteSession, SessionEnd } from "@/node/runtime/remote/RemoteShell";

/** What `open` answers where there is no session: its streams are over, and what is written to it goes nowhere. */
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
      // There is nothing.
    },
  };
}
