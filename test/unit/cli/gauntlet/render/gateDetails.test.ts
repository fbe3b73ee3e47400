import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDetails } from "@/cli/gauntlet/render/runOutput";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalFiles();

async function textOf(
  ...[result, isVerbose = false]: [Parameters<typeof readDetails>[1], boolean?]
) {
  return (await readDetails(files, result, isVerbose)).map(({ text }) => text.trim());
}

test("a failed review has its reviewer, its violations and their file (G30)", async () => {
  const jsonPath = join(await tempDir(), "review_src_cq_claude@1.1.json");
  const violations = Array.from({ length: 12 }, (_, i) => ({
    id: `v${i}`,
    file: "src/a.ts",
    line: i + 1,
    issue: `problem ${i + 1}`,
    priority: "high",
    status: i === 0 ? "skipped" : "new",
  }));
  const content = { adapter: "claude", timestamp: "", status: "fail", rawOutput: "", violations };
  await writeFile(jsonPath, JSON.stringify(content));
  const slot = { slot: 1, reviewer: "claude", durationMs: 1, jsonPath } as const;
  const review = gateResult("review:src:cq", "failed", {
    slots: [
      { ...slot, outcome: "failed", message: "11 violations" },
      { ...slot, slot: 2, outcome: "passed" },
    ],
  });
  expect(await textOf(review)).toEqual([
    "claude@1: 11 violations",
    ...Array.from({ length: 10 }, (_, i) => `src/a.ts:${i + 2} high: problem ${i + 2}`),
    "1 more",
    `Review: ${jsonPath}`,
  ]);
  expect(await textOf(review, true)).toContain("src/a.ts:12 high: problem 12");
});
