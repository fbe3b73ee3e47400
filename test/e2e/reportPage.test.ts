/** The HTML report in a browser: accessible in light and dark, on a phone and on a desktop, and without scripts (G50). */
import axe from "axe-core";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { pathOf } from "@scripts/programs.mjs";
import { html } from "@/node/services/gauntlet/run/reports/htmlAndJunit";
import type { Report, ReportedFinding } from "@/node/services/gauntlet/run/reports/createReport";

const BROWSER = pathOf("chromium");

function gate(name: string, more: Partial<GateResult> = {}): GateResult {
  const jobId = `check:packages/a:${name}`;
  const base = { jobId, kind: "check", gate: name, entryPoint: "packages/a" } as const;
  return { ...base, outcome: "failed", message: "Exited with code 1", durationMs: 1_234, ...more };
}

const REVIEW = "review:.:security";
const JOB = "check:packages/a:lint";

function report(count: number): Report {
  const findings = Array.from({ length: count }, (_, i): ReportedFinding => {
    const file = `src/a/long/path/of/folders/that/does/not/fit/on/a/phone/file${i % 400}.ts`;
    const place = {
      file,
      line: i + 1,
      column: 5,
      severity: i % 2 === 0 ? "error" : "warning",
    } as const;
    const rest = { message: `Problem ${i}.`, fingerprint: `f${i}`, onChangedLine: i % 7 === 0 };
    return { gate: JOB, rule: "no-unused-vars", ...place, ...rest };
  });
  const codex = { reviewer: "codex", outcome: "failed", durationMs: 9_000 } as const;
  const slots = [1, 2].map((slot) => ({ slot, ...codex }));
  const gates = [
    gate("lint"),
    gate("types", { outcome: "error" }),
    gate("test", { outcome: "passed", message: undefined }),
    gate("security", { jobId: REVIEW, kind: "review", message: "1 violation", slots }),
  ];
  return {
    result: createResult("failed", { gates, warnings: ["a.ts was not compared"] }),
    findings,
    violations: [
      {
        ...{ gate: REVIEW, slot: 1, place: "a.ts:1", issue: "It leaks the key." },
        ...{ fix: "Remove it.", status: "skipped", reason: "It is public." },
      },
    ],
    history: new Map([[JOB, ["passed", "flaky", "failed"]]]),
    sent: [1, 2].map((run) => ({ run, text: `Gauntlet gates did not pass: ${run}\n` })),
    startedAt: new Date(0),
    durationMs: 2_000,
  };
}

let browser: Browser | undefined;
beforeAll(async () => {
  if (BROWSER !== undefined) {
    browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  }
});
afterAll(async () => await browser?.close());

test.skipIf(BROWSER === undefined).each([
  ["light", 1280],
  ["dark", 390],
] as const)(
  "the page is accessible and fits in %s, at a width of %i",
  async (colorScheme, width) => {
    const context = await browser!.newContext({
      ...{ colorScheme, viewport: { width, height: 844 }, bypassCSP: true },
    });
    const page = await context.newPage();
    await page.setContent(html(report(3)));
    await page.evaluate(axe.source);
    const found = await page.evaluate<string[]>(
      "axe.run().then(({ violations }) => violations.map(({ id, impact }) => `${id}: ${impact}`))"
    );
    expect(found).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await context.close();
  }
);

test("the page shows the last runs, what the agent got, and the reasons of a review", () => {
  const page = html(report(1));
  expect(page).toContain('aria-label="last 3 runs: passed, flaky, failed"');
  expect(page.match(/<summary>Attempt \d/g)).toEqual(["<summary>Attempt 1", "<summary>Attempt 2"]);
  expect(page.match(/It leaks the key.<div/g)).toHaveLength(1);
  expect(page).toContain("Suggestion: Remove it.");
  expect(page).toContain("Skipped: It is public.");
});

test("a page of 10,000 findings is closed, so that a browser lays out only the names of files", () => {
  const page = html(report(10_000));
  const section = /id="findings".*?<\/section>/s.exec(page)?.[0] ?? "";
  expect(section.match(/<details>/g)).toHaveLength(400);
  expect(section).not.toContain("<details open>");
  expect(page).toContain("content-visibility:auto");
});
