import { describe, expect, it } from "vitest";
import type { LocatedDiagnostic } from "@/common/diagnostics";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { didYouMean, nearest } from "@/node/services/gauntlet/config/source/validateNode";

function problem(sourceLine: string, column: number, length: number): LocatedDiagnostic {
  const place = { file: "c.yml", line: 12, column, length, sourceLine, keyPath: "a.b" };
  return { severity: "error", message: "it is wrong", ...place };
}

describe("formatDiagnostic", () => {
  it("shows only the relevant part of a long line", () => {
    const line = `${"x".repeat(5_000)}HERE${"y".repeat(5_000)}`;
    const [, shown = "", squiggle = ""] = formatDiagnostic(problem(line, 5_001, 4)).split("\n");
    expect(shown).toHaveLength(" 12 | ".length + 100);
    expect(shown.indexOf("HERE")).toBe(squiggle.indexOf("~~~~"));
    expect(squiggle.trim()).toBe("~~~~");
  });

  it("ends the squiggle of a long value where the shown part ends", () => {
    const [, shown = "", squiggle] = formatDiagnostic(problem("x".repeat(300), 10, 250)).split(
      "\n"
    );
    expect(squiggle).toHaveLength(shown.length);
  });

  it("removes control characters and keeps the columns", () => {
    const [, shown] = formatDiagnostic(problem("\ta: \u001b[31mred", 5, 3)).split("\n");
    expect(shown).toBe(" 12 |  a:  [31mred");
  });
});

describe("did you mean", () => {
  it.each([
    ["base_brnach", "base_branch"],
    ["baseBranch", "base_branch"],
    ["max-retries", "max_retries"],
    ["max_retry", "max_retries"],
    ["xyz", undefined],
    ["a", undefined],
    ["x".repeat(100_000), undefined],
  ])("suggests for %s", (word, meant) => {
    expect(nearest(word, ["base_branch", "max_retries", "cli"])).toBe(meant);
  });

  it("suggests nothing for a known word", () => {
    expect(didYouMean("lint", ["lint"])).toBe("");
    expect(didYouMean("lnit", ["lint"])).toBe('; did you mean "lint"?');
  });
});
