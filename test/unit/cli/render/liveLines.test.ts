import { expect, test } from "vitest";
import { LiveLines } from "@/cli/render/liveLines";
import { HeadTailBuffer } from "@test/helpers/cliContext";
import { screen } from "@test/helpers/process/terminal";

test("the terminal cuts long lines of the block, and wraps permanent text", () => {
  const output = new HeadTailBuffer(true, 10);
  const lines = new LiveLines(output, true);
  const long = "x".repeat(30);
  lines.print(long, [long]);
  expect(output.text).toBe(`${long}\n\u001b[?7l${long}\n\u001b[?7h`);
});

test("permanent text is above the block, which is written again below it", () => {
  const output = new HeadTailBuffer(true);
  const lines = new LiveLines(output, true);
  lines.show(["a", "b"]);
  lines.print("first");
  lines.print("second\n", ["c"]);
  expect(screen(output.text)).toBe("first\nsecond\nc\n");
  lines.show([]);
  expect(screen(output.text)).toBe("first\nsecond\n");
});

test("each change is one write, so that no half of it is on the screen", () => {
  const output = new HeadTailBuffer(true);
  let writes = 0;
  const counting = {
    isTTY: true,
    write: (text: string) => {
      writes++;
      output.write(text);
    },
  };
  const lines = new LiveLines(counting, true);
  lines.show(["a", "b"]);
  lines.print("first", ["c"]);
  expect(writes).toBe(2);
});

test("a terminal that reports no rows counts as one with 24", () => {
  const output = new HeadTailBuffer(true, 0, 0);
  const block = Array.from({ length: 30 }, (_, i) => `${i}`);
  new LiveLines(output, true).show(block);
  expect(screen(output.text).trimEnd().split("\n")).toEqual([
    ...block.slice(0, 21),
    "  … and 9 more",
  ]);
});

test("an output that is no terminal gets the permanent text alone", () => {
  const output = new HeadTailBuffer();
  const lines = new LiveLines(output, false);
  lines.print("first", ["a"]);
  lines.show(["b"]);
  expect(output.text).toBe("first\n");
});
