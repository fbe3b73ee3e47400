import { expect, test } from "vitest";
import { LiveLines } from "@/cli/render/liveLines";
import { RecordedOutput } from "@test/helpers/cliContext";
import { screen } from "@test/helpers/process/terminal";

test("lets the terminal cut long lines of the block, and wrap permanent text", () => {
  const output = new RecordedOutput(true, 10);
  const lines = new LiveLines(output, true);
  const long = "x".repeat(30);
  lines.print(long, [long]);
  expect(output.text).toBe(`${long}\n\u001b[?7l${long}\n\u001b[?7h`);
});

test("prints permanent text above the block", () => {
  const output = new RecordedOutput(true);
  const lines = new LiveLines(output, true);
  lines.show(["a", "b"]);
  lines.print("first");
  lines.print("second\n", ["c"]);
  expect(screen(output.text)).toBe("first\nsecond\nc\n");
  lines.show([]);
  expect(screen(output.text)).toBe("first\nsecond\n");
});

test("makes one write for each change", () => {
  const output = new RecordedOutput(true);
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

test("assumes 24 rows if the terminal reports none", () => {
  const output = new RecordedOutput(true, 0, 0);
  const block = Array.from({ length: 30 }, (_, i) => `${i}`);
  new LiveLines(output, true).show(block);
  expect(screen(output.text).trimEnd().split("\n")).toEqual([
    ...block.slice(0, 21),
    "  … and 9 more",
  ]);
});

test.each([
  ["narrower", 30, 4],
  ["wider", 100, 3],
])("moves up by the rows that the block takes after the terminal became %s", (_, columns, rows) => {
  const output = new RecordedOutput(true, 60);
  const lines = new LiveLines(output, true);
  lines.show(["検査".repeat(10), "x".repeat(30), ""]);
  Object.assign(output, { columns, text: "" });
  lines.show(["x"]);
  expect(output.text).toMatch(new RegExp(`^\\u001b\\[${rows}A\\u001b\\[G`));
});
