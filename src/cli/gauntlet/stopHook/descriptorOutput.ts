/** Writes output completely, even if the process ends right afterwards. */
import { writeSync } from "node:fs";
import type { Output } from "@/cli/context";
import { errorCode } from "@/common/errors";

/** How long to wait before another try if the pipe is full and its owner has made it non-blocking. */
const RETRY_MS = 5;
const MAX_RETRIES = 200;

/**
 * Returns an output that, unlike the streams of the process, costs no time to load. It drops the rest if the reader has
 * stopped reading.
 */
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
