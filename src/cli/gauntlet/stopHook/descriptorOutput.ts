/** Writing so that all is written when the process ends in the next instant. */
import { writeSync } from "node:fs";
import type { Output } from "@/cli/context";
import { errorCode } from "@/common/errors";

/** A pipe that is full, and that its owner has made not to wait, is tried again this often. */
const RETRY_MS = 5;
const MAX_RETRIES = 200;

/** Unlike the stream of the process it costs nothing to have. Whoever has stopped reading misses the rest. */
export function descriptorOutput(descriptor: number): Output {
  return {
    write: (text) => {
      const bytes = Buffer.from(text);
      for (let done = 0, retries = 0; done < bytes.length && retries < MAX_RETRIES;) {
        const written = tryWrite(descriptor, bytes.subarray(done));
        if (written === "closed") return;
        done += written;
        if (written > 0) continue;
        retries++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    },
  };
}

function tryWrite(descriptor: number, bytes: Uint8Array): number | "closed" {
  try {
    return writeSync(descriptor, bytes);
  } catch (thrown) {
    return errorCode(thrown) === "EAGAIN" ? 0 : "closed";
  }
}
