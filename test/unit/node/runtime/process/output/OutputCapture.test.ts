import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { KEPT_OUTPUT_BYTES, MIB } from "@/common/limits";
import {
  OutputCapture,
  PIPE_ENCODING,
  readBytes,
  releaseBuffer,
} from "@/node/runtime/process/output/OutputCapture";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";

function capture(
  keepBytes: number | undefined,
  ...chunks: (string | Uint8Array)[]
): CapturedOutput {
  const output = new OutputCapture(keepBytes);
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return output.read();
}

describe("output that fits", () => {
  test("is empty if nothing was printed", () => {
    expect(capture(10)).toEqual({ text: "", bytes: 0, truncated: false });
  });

  test("is kept whole at exactly the limit", () => {
    expect(capture(6, "abc", "def")).toEqual({ text: "abcdef", bytes: 6, truncated: false });
  });

  test("joins a character that the pipe has split (H20)", () => {
    const bytes = Buffer.from("grün 🎉\n");
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(capture(100, ...single).text).toBe("grün 🎉\n");
  });

  test("replaces invalid UTF-8 (H20)", () => {
    expect(capture(100, Uint8Array.of(0x61, 0xff, 0xc3, 0x62)).text).toBe("a��b");
  });

  test("keeps a byte-order mark", () => {
    expect(capture(100, "\ufeff{}").text).toBe("\ufeff{}");
  });
});

describe("output that is too long", () => {
  test("keeps its first and its last half, with a line that counts the missing bytes (H20)", () => {
    expect(capture(6, "abcdefghij")).toEqual({
      text: "abc\n[… 4 bytes left out …]\nhij",
      bytes: 10,
      truncated: true,
    });
  });

  test("is shortened from one byte above the limit", () => {
    expect(capture(5, "abcde", "f").text).toBe("abc\n[… 1 byte left out …]\nef");
  });

  test("gets no blank line before the notice if the line before it is complete", () => {
    expect(capture(4, "a\nbcdef\n").text).toBe("a\n[… 4 bytes left out …]\nf\n");
  });

  test("omits and counts a character at the cut as a whole (H20)", () => {
    // Five bytes from each end would take half of ü, and two thirds of €.
    expect(capture(10, "abcdü…………€xyz").text).toBe("abcd\n[… 17 bytes left out …]\nxyz");
  });

  test("loses at most three bytes of invalid UTF-8 at the cut", () => {
    const { text } = capture(20, new Uint8Array(100).fill(0x80));
    expect(text).toBe(`${"�".repeat(10)}\n[… 83 bytes left out …]\n${"�".repeat(7)}`);
  });

  test("is not valid JSON any more", () => {
    const list = `[${"1,".repeat(500)}1]`;
    expect(() => JSON.parse(capture(100, list).text) as unknown).toThrow();
    const text = JSON.stringify({ reason: "x".repeat(500) });
    expect(() => JSON.parse(capture(100, text).text) as unknown).toThrow();
  });

  test("may be omitted completely", () => {
    expect(capture(0, "abc")).toEqual({
      text: "[… 3 bytes left out …]\n",
      bytes: 3,
      truncated: true,
    });
  });

  test("has the limit of hooks by default (H20)", () => {
    const megabyte = new Uint8Array(MIB).fill(0x61);
    const { text, bytes, truncated } = capture(undefined, ...Array<Uint8Array>(5).fill(megabyte));
    expect({ bytes, truncated }).toEqual({ bytes: 5 * MIB, truncated: true });
    expect(text.replace(/\n.*\n/, "")).toHaveLength(KEPT_OUTPUT_BYTES);
  });
});

test("reading does not end the capture", () => {
  const output = new OutputCapture(4);
  output.push(Buffer.from("ab"));
  expect(output.read().text).toBe("ab");
  output.push(Buffer.from("cdef"));
  expect(output.read().text).toBe("ab\n[… 2 bytes left out …]\nef");
});

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
