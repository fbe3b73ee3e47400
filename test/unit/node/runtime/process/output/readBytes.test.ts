import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { PIPE_ENCODING, readBytes } from "@/node/runtime/process/output/OutputCapture";

test.each([
  ["buffers, as in Node", undefined],
  ["text, as in Bun", PIPE_ENCODING],
] as const)("reads every byte of a pipe that emits %s (H20)", async (_, encoding) => {
  const pipe = new PassThrough();
  if (encoding !== undefined) pipe.setEncoding(encoding);
  const copy = new PassThrough();
  readBytes(pipe, (chunk) => copy.write(chunk));
  pipe.on("end", () => copy.end());
  const bytes = Buffer.from(Array.from({ length: 256 }, (__, i) => i));
  pipe.end(bytes);
  expect(await buffer(copy)).toEqual(bytes);
});
