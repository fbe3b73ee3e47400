import fc from "fast-check";
import { expect, test } from "vitest";
import { ObjectGatherer } from "@/cli/gauntlet/stopHook/readStdin";

/** Gathers the bytes in chunks of these lengths; the remaining bytes are one chunk. */
function gather(bytes: Uint8Array, lengths: readonly number[]): ObjectGatherer {
  const gathered = new ObjectGatherer();
  for (let from = 0, i = 0; from < bytes.length && !gathered.isDone; i++) {
    const to = from + (lengths[i] ?? bytes.length);
    gathered.push(bytes.subarray(from, to));
    from = to;
  }
  return gathered;
}

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 50 });
const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

test("returns an object at its last brace, regardless of its chunks and of the text after it (G22)", () => {
  fc.assert(
    fc.property(object, lengths, fc.boolean(), fc.string(), (value, pieces, indented, rest) => {
      const json = JSON.stringify(value, null, indented ? 2 : 0);
      const gathered = gather(Buffer.from(` \r\n\t${json}${rest}`), pieces);
      expect(gathered.text?.trimStart()).toBe(json);
    })
  );
});

test("waits for the rest of an incomplete object (G22)", () => {
  fc.assert(
    fc.property(object, lengths, fc.nat(), (value, pieces, at) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const gathered = gather(bytes.subarray(0, at % bytes.length), pieces);
      expect([gathered.isDone, gathered.text]).toEqual([false, undefined]);
    })
  );
});

test.each(["null", "[]", '"x"', "  3", "\n\nno", "\u0000{}", "]"])(
  "stops at once for %j, before the end of the line (G22)",
  (input) => {
    const gathered = gather(Buffer.from(input), []);
    expect([gathered.isDone, gathered.text]).toEqual([true, undefined]);
  }
);

test("decodes invalid UTF-8 as U+FFFD", () => {
  const gathered = gather(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), [1, 1, 1]);
  expect(gathered.text).toBe('{"\ufffd"}');
});

test.each([
  ["{", " "],
  ["", " "],
  ['{"a":"', "x"],
])("gives up after 8 MiB of input that begins with %j and repeats %j", (begin, fill) => {
  const gathered = new ObjectGatherer();
  gathered.push(Buffer.from(begin));
  const chunk = Buffer.alloc(1 << 20, fill);
  let pushed = 0;
  while (!gathered.isDone && pushed < 100) {
    gathered.push(chunk);
    pushed++;
  }
  expect([gathered.isDone, gathered.text]).toEqual([true, undefined]);
  expect(pushed).toBeLessThanOrEqual(9);
});
