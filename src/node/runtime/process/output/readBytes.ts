import type { Readable } from "node:stream";

/** The encoding in which Bun decodes the output of a program. It keeps every byte. */
export const PIPE_ENCODING = "latin1";

/** Calls `listener` with each chunk of a program's output. Node emits buffers, and Bun emits decoded text. */
export function readBytes(pipe: Readable, listener: (chunk: Buffer) => void): void {
  pipe.on("data", (chunk: Buffer | string) => {
    listener(typeof chunk === "string" ? Buffer.from(chunk, PIPE_ENCODING) : chunk);
  });
}
