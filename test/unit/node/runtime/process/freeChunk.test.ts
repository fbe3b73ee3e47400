import { expect, test } from "vitest";
import { freeChunk } from "@/node/runtime/process/freeChunk";

test("a chunk with a buffer of its own gives it back", () => {
  const chunk = Buffer.allocUnsafeSlow(65_536);
  freeChunk(chunk);
  expect(chunk.buffer.byteLength).toBe(0);
});

test("a slice of a buffer that others use stays as it is", () => {
  const pool = Buffer.allocUnsafeSlow(65_536).fill("x");
  freeChunk(pool.subarray(0, 4096));
  expect(pool.toString("latin1", 0, 4)).toBe("xxxx");
});
