import { describe, expect, test } from "vitest";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import { shownFindings } from "@/node/services/gauntlet/reason/findingTexts";

function findings(file: string, count: number): Finding[] {
  return Array.from({ length: count }, (_, i) => ({
    file,
    line: i + 1,
    severity: "error" as const,
    message: `'value${i}' is assigned a value but never used`,
  }));
}

const GATE = {
  findings: [
    ...findings("src/long.ts", 22),
    ...findings("src/cart.ts", 2),
    ...findings("src/shop.ts", 1),
  ],
};

describe("the findings in a reason (G26)", () => {
  test("have one of each file before the second of any, if not all fit", () => {
    const lines = shownFindings(GATE, 700)?.split("\n") ?? [];
    const files = lines.flatMap((line) => /src\/\w+\.ts/.exec(line)?.[0] ?? []);
    expect(files.slice(0, 6)).toEqual([
      ...["src/long.ts", "src/cart.ts", "src/shop.ts"],
      ...["src/long.ts", "src/cart.ts", "src/long.ts"],
    ]);
    expect(lines.at(-1)).toBe(`      … and ${25 - files.length} more findings`);
    expect(lines.join("\n").length).toBeLessThanOrEqual(700);
  });

  test("are grouped by file if all of them fit", () => {
    const text = shownFindings(GATE, 10_000) ?? "";
    expect(text.split("\n")[22]).toContain("src/long.ts:22");
    expect(text).not.toContain("more findings");
  });

  test("count the files that are not named", () => {
    const many = {
      findings: Array.from({ length: 30 }, (_, i) => findings(`src/${i}.ts`, 2)).flat(),
    };
    const text = shownFindings(many, 500) ?? "";
    const named = text.split(" is assigned ").length - 1;
    expect(text).toContain(
      `… and ${60 - named} more findings; ${30 - named} files with findings not named here`
    );
    expect(text.length).toBeLessThanOrEqual(500);
  });
});
