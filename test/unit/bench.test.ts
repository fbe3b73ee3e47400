/** The statistics of the benchmarks. */
import { expect, test } from "vitest";
import { inTurns, Turns } from "../../bench/lib";
import { isOver, limitOf } from "../../bench/limits";

test("Turns takes the median of the ratios, not the ratio of the medians, and of the durations of each side", () => {
  const turns = new Turns([
    { floor: 1, ours: 2 },
    { floor: 10, ours: 40 },
    { floor: 20, ours: 60 },
  ]);
  const { value, p25, p75, rounds } = turns.each(({ ours, floor }) => ours / floor);
  expect({ value, p25, p75, rounds }).toEqual({ value: 3, p25: 2.5, p75: 3.5, rounds: 3 });
  expect(turns.ms).toEqual({ floor: 10, ours: 40 });
});

test("inTurns alternates the order of the sides, and counts no warm-up round", async () => {
  const calls: string[] = [];
  const side = (name: string) => () => Promise.resolve(calls.push(name));
  const turns = await inTurns({ a: side("a"), b: side("b") }, 2, (name) => side(`-${name}`)());
  expect(calls.join(" ")).toBe("-b b -a a -a a -b b -b b -a a");
  expect(turns.each(() => 1).rounds).toBe(2);
});

test("a limit for newer versions of Node replaces the general one from that version on", () => {
  const limits = { run: 5, "run@22": { budget: 4, goal: 3 }, other: 1 };
  const budgets = [20, 22, 24].map((major) => limitOf("run", major, limits)?.budget);
  expect(budgets).toEqual([5, 4, 4]);
  expect(limitOf("other", 24, limits)).toEqual({ budget: 1 });
});

test("a figure without a budget counts as over, unless it is information", () => {
  const figure = { id: "x", name: "x", major: 20, claim: "x", unit: "ms", value: 0 } as const;
  expect(isOver(figure)).toBe(true);
  expect(isOver({ ...figure, isInformation: true })).toBe(false);
});
