import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";

function capture(bytes: Uint8Array, keepBytes: number, cuts: readonly number[]): CapturedOutput {
  const output = new OutputCapture(keepBytes);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  edges.sort((a, b) => a - b);
  edges.slice(1).forEach((edge, n) => {
    output.push(bytes.subarray(edges[n], edge));
  });
  return output.read();
}

const cuts = fc.array(fc.nat(), { maxLength: 20 });
const keepBytes = fc.integer({ min: 0, max: 200 });
const anyBytes = fc.uint8Array({ maxLength: 400 });
const anyText = fc.string({ unit: "binary", maxLength: 200 });

test("the result does not depend on the chunks of the pipe (H20)", () => {
  fc.assert(
    fc.property(anyBytes, keepBytes, cuts, cuts, (bytes, keep, some, others) => {
      expect(capture(bytes, keep, some)).toEqual(capture(bytes, keep, others));
    })
  );
});

test("longer text keeps its beginning and end, breaks no character, and counts every byte (H20)", () => {
  fc.assert(
    fc.property(anyText, keepBytes, cuts, (text, keep, some) => {
      const bytes = Buffer.from(text);
      fc.pre(bytes.length > keep);
      const captured = capture(bytes, keep, some);
      const [, head = "", lost, tail = ""] =
        /^([^]*?)\n?\[… (\d+) bytes? left out …\]\n([^]*)$/.exec(captured.text) ?? [];
      const whole = bytes.toString("utf8");
      expect(captured.truncated).toBe(true);
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      const kept = bytes.length - Number(lost);
      expect(kept).toBeLessThanOrEqual(keep);
      // Each of the two cuts may drop up to three bytes of an incomplete character.
      expect(kept).toBeGreaterThanOrEqual(keep - 6);
    }),
    { numRuns: 150 }
  );
});
