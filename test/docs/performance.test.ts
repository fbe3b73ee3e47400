/** Checks that docs/performance.md and its charts are what `make plots` makes from the committed results. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawChart } from "@scripts/performance/chart";
import { drawCharts } from "@scripts/performance/charts";
import { fillIn } from "@scripts/performance/page";
import { docs, readFigures, readGrowth } from "@scripts/performance/results";
import { formatTable, tables } from "@scripts/performance/tables";

const growth = readGrowth();

test.each([...drawCharts(growth)])("%s matches the results", (name, text) => {
  expect(readFileSync(join(docs, "performance", name), "utf8")).toBe(text);
});

test("the tables of the page match the results", () => {
  const page = readFileSync(join(docs, "performance.md"), "utf8");
  expect(page).toBe(fillIn(page, tables(readFigures(), growth)));
});

test("the page shows every figure that was measured", () => {
  const { figures } = readFigures();
  const shown = [...tables({ ...readFigures(), figures: [] }, growth).values()].join("\n");
  const all = [...tables(readFigures(), growth).values()].join("\n");
  const without = (name: string) => {
    const others = figures.filter((figure) => figure.name !== name);
    return [...tables({ ...readFigures(), figures: others }, growth).values()].join("\n");
  };
  expect(shown).not.toBe(all);
  expect(figures.map(({ name }) => name).filter((name) => without(name) === all)).toEqual([]);
});

describe("fillIn", () => {
  const page = "a\n<!-- generated: t -->\n\nold\n\n<!-- end -->\nb\n";

  test("replaces what is between the markers", () => {
    const filled = "a\n<!-- generated: t -->\n\nnew\n\n<!-- end -->\nb\n";
    expect(fillIn(page, new Map([["t", "new"]]))).toBe(filled);
  });

  test("rejects a part without a text, and a text without a part", () => {
    expect(() => fillIn(page, new Map())).toThrow("unknown part: t");
    const texts = new Map([
      ["t", "new"],
      ["u", "new"],
    ]);
    expect(() => fillIn(page, texts)).toThrow("no part for u");
  });
});

test("aligns a table as the formatter does", () => {
  const table = formatTable(["part", "ms"], [["a long name", "1.5"]]);
  expect(table).toBe("| part        |   ms |\n| ----------- | ---: |\n| a long name |  1.5 |");
});

test("draws logarithmic axes: equal ratios have equal distances", () => {
  const points = [1, 10, 100].map((x) => ({ x, y: x, low: x, high: x }));
  const labels = { title: "t", xLabel: "x", yLabel: "y" };
  const svg = drawChart({ ...labels, curves: [{ name: "a < b", points }] });
  const centers = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [+x!, +y!]);
  const [[x1, y1], [x2, y2], [x3, y3]] = centers as [number[], number[], number[]];
  expect(x2! - x1!).toBeCloseTo(x3! - x2!, 0);
  expect(y1! - y2!).toBeCloseTo(y2! - y3!, 0);
  expect(svg).toContain("a &lt; b</text>");
  expect(svg).toContain("prefers-color-scheme: dark");
});
