/** What of the screen of `init` is visible. */
import { expect, test } from "vitest";
import { screenLines, type ScreenItem } from "@/cli/gauntlet/init/screen";
import { RecordedOutput } from "@test/helpers/cliContext";

function itemsOf(group: string, count: number): ScreenItem[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${group}${i}`,
    group,
    label: `${group} ${i}`,
    hint: "",
    isSelected: true,
  }));
}

function show(checks: number, agents: number, rows: number, cursor: number | undefined): string[] {
  const items = [...itemsOf("Check", checks), ...itemsOf("Agent", agents)];
  const stdout = new RecordedOutput(true, 80, rows);
  const state = { items, selected: new Set<string>(), cursor };
  return screenLines(state, { stdout, env: { NO_COLOR: "1" } });
}

function labels(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /\] (.*)/.exec(line)?.[1] ?? []);
}

test.each([6, 8, 10, 12, 16, 24, 40])("never has more than the %d rows of the terminal", (rows) => {
  for (const [checks, agents] of [
    [30, 7],
    [3, 2],
    [1, 30],
    [0, 9],
    [9, 0],
  ] as const) {
    for (let cursor = 0; cursor < checks + agents; cursor += 1) {
      const lines = show(checks, agents, rows, cursor);
      if (rows >= 8) expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(1);
    }
  }
});

test("shows all agents at 24 rows, however many checks there are", () => {
  const lines = show(30, 5, 24, 0);
  expect(labels(lines).filter((label) => label.startsWith("Agent"))).toHaveLength(5);
  expect(labels(lines).filter((label) => label.startsWith("Check"))).toHaveLength(9);
  expect(lines).toContain("      21 more (move with the arrow keys)");
});

test("gives the rows that a small group does not need to the other one", () => {
  expect(labels(show(4, 20, 24, 0))).toHaveLength(14);
  expect(labels(show(8, 6, 24, 0))).toHaveLength(14);
  expect(show(8, 6, 24, 0).join("\n")).not.toContain("more");
});

test("moves the checks with the cursor, and keeps their end below it", () => {
  expect(labels(show(30, 2, 24, 20))).toEqual([
    ...Array.from({ length: 12 }, (_, i) => `Check ${i + 9}`),
    "Agent 0",
    "Agent 1",
  ]);
  expect(labels(show(30, 2, 24, 31)).slice(-3)).toEqual(["Check 29", "Agent 0", "Agent 1"]);
});
