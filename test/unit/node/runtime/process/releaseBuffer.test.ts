import { expect, test } from "vitest";
import { releaseBuffer } from "@/node/runtime/process/output/OutputCapture";

test("releases the memory of a chunk that has its own buffer", () => {
  const chunk = Buffer.allocUnsafeSlow(65_536);
  releaseBuffer(chunk);
  expect(chunk.buffer.byteLength).toBe(0);
});

test("leaves a slice of a shared buffer unchanged", () => {
  const pool = Buffer.allocUnsafeSlow(65_536).fill("x");
  releaseBuffer(pool.subarray(0, 4096));
  expect(pool.toString("latin1", 0, 4)).toBe("xxxx");
});
