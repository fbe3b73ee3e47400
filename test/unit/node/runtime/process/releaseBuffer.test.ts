import { expect, test } from "vitest";
import { releaseBuffer } from "@/node/runtime/process/releaseBuffer";

test("a chunk with a buffer of its own gives it back", () => {
  const chunk = Buffer.allocUnsafeSlow(65_536);
  releaseBuffer(chunk);
  expect(chunk.buffer.byteLength).toBe(0);
});

test("a slice of a buffer that others use stays as it is", () => {
  const pool = Buffer.allocUnsafeSlow(65_536).fill("x");
  releaseBuffer(pool.subarray(0, 4096));
  expect(pool.toString("latin1", 0, 4)).toBe("xxxx");
});
