import { expect, test } from "vitest";
import { excerpt, shareOut } from "@/node/services/gauntlet/reason/excerpt";

test("gives the unused budget of short texts to the long ones (G26)", () => {
  expect(shareOut(100, [10, 1_000, 20])).toEqual([10, 70, 20]);
  expect(shareOut(0, [5])).toEqual([0]);
});

test("keeps the line that names an error before a long stack (G26)", () => {
  const frames = Array.from({ length: 25 }, (_, i) => `    at run${i} (src/file${i}.ts:${i}:7)`);
  const log = ["starting", "TypeError: x is not a function", ...frames, "done"].join("\n");
  const text = excerpt(log, 500);
  expect(text.length).toBeLessThanOrEqual(500);
  expect(text).toContain("| TypeError: x is not a function");
  expect(text).toContain("| done");
  expect(text.split("\n").every((line) => line.startsWith("      | "))).toBe(true);
  expect(text).not.toContain("run3 ");
});

test("clips one long line instead of omitting it (G26)", () => {
  const text = excerpt(`Error: ${"x".repeat(5_000)}`, 300);
  expect(text.length).toBeLessThanOrEqual(300);
  expect(text.length).toBeGreaterThan(200);
});

test("is empty for an empty log (G26)", () => {
  expect(excerpt("", 300)).toBe("");
});
