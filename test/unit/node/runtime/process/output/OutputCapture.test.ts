import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { KEPT_OUTPUT_BYTES, MIB } from "@/common/limits";
import * as outputCapture from "@/node/runtime/process/output/OutputCapture";

function capture(keepBytes: number | undefined, ...chunks: (string | Uint8Array)[]) {
  const output = new outputCapture.OutputCapture(keepBytes);
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return output.read();
}

describe("output", () => {
  test.each<[what: string, keepBytes: number, output: string | Uint8Array, text: string]>([
    ["is kept whole at exactly the limit", 6, "abcdef", "abcdef"],
    ["replaces invalid UTF-8 (H20)", 100, Uint8Array.of(0x61, 0xff, 0xc3, 0x62), "a��b"],
    ["keeps a byte-order mark", 100, "\ufeff{}", "\ufeff{}"],
    [
      "keeps its first and its last half, with a line that counts the missing bytes (H20)",
      ...[6, "abcdefghij", "abc\n[… 4 bytes left out …]\nhij"],
    ],
    ["is shortened from one byte above the limit", 5, "abcdef", "abc\n[… 1 byte left out …]\nef"],
    [
      "gets no blank line before the notice if the line before it is complete",
      ...[4, "a\nbcdef\n", "a\n[… 4 bytes left out …]\nf\n"],
    ],
    // Five bytes from each end would take half of ü, and two thirds of €.
    [
      "omits and counts a character at the cut as a whole (H20)",
      ...[10, "abcdü…………€xyz", "abcd\n[… 17 bytes left out …]\nxyz"],
    ],
    [
      "loses at most three bytes of invalid UTF-8 at the cut",
      20,
      new Uint8Array(100).fill(0x80),
      `${"�".repeat(10)}\n[… 83 bytes left out …]\n${"�".repeat(7)}`,
    ],
    ["may be omitted completely", 0, "abc", "[… 3 bytes left out …]\n"],
  ] as const)("%s", (_what, keepBytes, output, text) => {
    const bytes = Buffer.from(output).length;
    expect(capture(keepBytes, output)).toEqual({ text, bytes, truncated: bytes > keepBytes });
  });

  test("that is shortened is not valid JSON any more", () => {
    for (const text of [`[${"1,".repeat(500)}1]`, JSON.stringify({ reason: "x".repeat(500) })]) {
      expect(() => JSON.parse(capture(100, text).text) as unknown).toThrow(SyntaxError);
    }
  });

  test("has the limit of hooks by default (H20)", () => {
    const megabyte = new Uint8Array(MIB).fill(0x61);
    const { text, bytes, truncated } = capture(undefined, ...Array<Uint8Array>(5).fill(megabyte));
    expect({ bytes, truncated }).toEqual({ bytes: 5 * MIB, truncated: true });
    expect(text.replace(/\n.*\n/, "")).toHaveLength(KEPT_OUTPUT_BYTES);
  });
});

test("reading does not end the capture", () => {
  const output = new outputCapture.OutputCapture(4);
  output.push(Buffer.from("ab"));
  expect(output.read().text).toBe("ab");
  output.push(Buffer.from("cdef"));
  expect(output.read().text).toBe("ab\n[… 2 bytes left out …]\nef");
});

test.each([
  ["buffers, as in Node", undefined],
  ["text, as in Bun", outputCapture.PIPE_ENCODING],
] as const)("reads every byte of a pipe that emits %s (H20)", async (_, encoding) => {
  const pipe = new PassThrough();
  if (encoding !== undefined) pipe.setEncoding(encoding);
  const copy = new PassThrough();
  outputCapture.readBytes(pipe, (chunk) => copy.write(chunk));
  pipe.on("end", () => copy.end());
  const bytes = Buffer.from(Array.from({ length: 256 }, (__, i) => i));
  pipe.end(bytes);
  expect(await buffer(copy)).toEqual(bytes);
});

test("releases the memory of a chunk that has its own buffer, and leaves a slice of a shared one", () => {
  const chunk = Buffer.allocUnsafeSlow(65_536);
  outputCapture.releaseBuffer(chunk);
  expect(chunk.buffer.byteLength).toBe(0);
  const pool = Buffer.allocUnsafeSlow(65_536).fill("x");
  outputCapture.releaseBuffer(pool.subarray(0, 4096));
  expect(pool.toString("latin1", 0, 4)).toBe("xxxx");
});
