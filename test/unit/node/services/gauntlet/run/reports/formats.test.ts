/** The formats of reports, with texts that each format has to escape (G50). */
import { describe, expect, test } from "vitest";
import { ctrf, gitlab, sarif } from "@/node/services/gauntlet/run/reports/jsonReports";
import * as formats from "@/node/services/gauntlet/run/reports/markdownAndAnnotations";
import { html, junit } from "@/node/services/gauntlet/run/reports/htmlAndJunit";
import type { Report, ReportedFinding } from "@/node/services/gauntlet/run/reports/createReport";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { parseReport } from "@/node/services/gauntlet/gates/findings/readReports";
import { createResult } from "@/node/services/gauntlet/run/createResult";

const HOSTILE = `<b>&"' | \`x\` [a](b) ::error::%0A, x: \u0001]]>`;

function gate(name: string, more: Partial<GateResult> = {}): GateResult {
  const jobId = `check:.:${name}`;
  const base = { jobId, kind: "check", gate: name, entryPoint: ".", durationMs: 1_234 } as const;
  return { ...base, outcome: "failed", message: "Exited with code 1", ...more };
}

function finding(more: Partial<ReportedFinding> = {}): ReportedFinding {
  return {
    ...{ gate: "check:.:lint", file: "src/a b.js", line: 3, column: 5, severity: "error" },
    ...{ rule: "no-x", message: "Do not x.", fingerprint: "f1", onChangedLine: true },
    ...more,
  };
}

function report(findings: readonly ReportedFinding[], gates = [gate("lint")]): Report {
  const result = { ...createResult("failed"), gates, gatesRun: gates.length, gatesFailed: 1 };
  return {
    ...{ result, findings, violations: [], history: new Map(), sent: [] },
    ...{ startedAt: new Date(0), durationMs: 2_000 },
  };
}

const many = (count: number, more: Partial<ReportedFinding> = {}): ReportedFinding[] =>
  Array.from({ length: count }, (_, i) =>
    finding({ line: i + 1, fingerprint: `f${i}`, message: `Problem ${i}.`, ...more })
  );

describe("github", () => {
  test("shows findings on changed lines first, and counts those that GitHub would drop", () => {
    const findings = [...many(9), ...many(31, { onChangedLine: false })];
    const lines = formats.annotations(report(findings)).split("\n");
    expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(10);
    expect(lines[0]).toBe(
      "::error file=src/a b.js,line=1,col=5,title=check%3A.%3Alint%3A no-x::Problem 0."
    );
    expect(lines[9]).toBe("::error::31 more findings in the summary");
  });

  test("escapes what would end a command or a property", () => {
    const text = formats.annotations(
      report([finding({ message: "a\n::error::%", file: "a,b:c" })])
    );
    expect(text).toContain("file=a%2Cb%3Ac,");
    expect(text).toContain("::a%0A::error::%25\n");
    expect(text.match(/\n/g)).toHaveLength(1);
  });
});

describe("markdown", () => {
  test("lists gates, and findings in two groups", () => {
    const findings = [finding(), finding({ onChangedLine: false })];
    const text = formats.markdown(report(findings, [gate("lint"), gate("a|b")]));
    expect(text).toContain("| `check:.:lint` | ❌ failed | 1.2s | 2 |\n| `check:.:a\\|b` | ");
    expect(text).toMatch(
      /### On changed lines\n\n- `src\/a b.js:3:5` Do not x. \(no-x\)\n\n### Elsew/
    );
  });

  test("stays below the limit of a step's summary, and counts the rest", () => {
    const text = formats.markdown(report(many(25_000)), formats.MAX_SUMMARY_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(formats.MAX_SUMMARY_BYTES);
    const shown = text.match(/^- /gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(1_000);
    expect(text).toContain(`…and ${25_000 - shown} more findings`);
    expect(formats.markdown(report(many(1)), 1)).toContain("…and 1 more finding\n");
  });

  test("contains no markup of a finding", () => {
    const text = formats.markdown(report([finding({ message: HOSTILE, file: "a`b|c" })]));
    expect(text).toContain("- `` a`b|c:3:5 `` &lt;b>&amp;");
    expect(text).toContain("\\[a\\]\\(b\\)");
  });
});

test.each(["junit", "sarif"] as const)("%s is read back with the same findings", async (format) => {
  const findings = [finding(), finding({ file: "b.js", message: `${HOSTILE}\n`, line: 7 })];
  const { found, problem } = await parseReport(
    format,
    (format === "junit" ? junit : sarif)(report(findings))
  );
  expect(problem).toBeUndefined();
  expect(found.map(({ file }) => file)).toEqual(["src/a b.js", "b.js"]);
  expect(JSON.stringify(found)).toContain("Do not x.");
});

test("junit has a case for each gate without findings", () => {
  const gates = [
    gate("ok", { outcome: "passed", message: undefined }),
    gate("none", { outcome: "no_files" }),
    gate("slow", { outcome: "error", message: "a\u0001b" }),
  ];
  const text = junit(report([], gates));
  // Older failures are not failures of this run.
  const known = { outcome: "known", message: "older failures only" } as const;
  expect(junit(report([finding()], [gate("lint", known)]))).not.toContain("<failure");
  expect(text).toContain(
    '<testcase name="check:.:ok" classname="check:.:ok" time="1.234"></testcase>'
  );
  expect(text).toContain('<skipped message="Exited with code 1"/>');
  expect(text).toContain('<error message="a\ufffdb"/>');
});

test("sarif has at most twenty runs, with all findings", () => {
  const gates = Array.from({ length: 25 }, (_, i) => gate(`g${i}`));
  const findings = gates.map(({ jobId }) => finding({ gate: jobId }));
  const { runs } = JSON.parse(sarif(report(findings, gates))) as {
    runs: { results: { partialFingerprints: object }[] }[];
  };
  expect(runs).toHaveLength(20);
  expect(runs.flatMap(({ results }) => results)).toHaveLength(25);
  expect(runs[0]?.results[0]?.partialFingerprints).toEqual({ "gauntlet/v1": "f1" });
});

test.each([
  [undefined, { uri: ".gauntlet/config.yml", uriBaseId: "PROJECT" }],
  ["../lib/a b.ts", { uri: "../lib/a%20b.ts", uriBaseId: "PROJECT" }],
  ["/lib/a.ts", { uri: "file:///lib/a.ts" }],
])(
  "sarif has the texts and the location that GitHub requires, for %s",
  (file, artifactLocation) => {
    const { runs } = JSON.parse(sarif(report([finding({ file, line: undefined })]))) as {
      runs: { tool: { driver: { rules: unknown } }; results: { locations: unknown }[] }[];
    };
    const text = "no-x, reported by check:.:lint";
    expect(runs[0]?.tool.driver.rules).toEqual([
      { id: "no-x", shortDescription: { text: "no-x" }, fullDescription: { text }, help: { text } },
    ]);
    expect(runs[0]?.results[0]?.locations).toEqual([{ physicalLocation: { artifactLocation } }]);
  }
);

test("gitlab gives each issue a fingerprint of its own", () => {
  const text = gitlab(report([finding(), finding(), finding({ file: undefined })]));
  const issues = JSON.parse(text) as { fingerprint: string }[];
  expect(issues.map(({ fingerprint }) => fingerprint)).toEqual(["f1", "f1-2"]);
  expect(issues[0]).toMatchObject({
    description: "Do not x.",
    severity: "major",
    location: { path: "src/a b.js", lines: { begin: 3 } },
  });
});

test("ctrf counts the gates", () => {
  const gates = [
    gate("lint"),
    gate("ok", { outcome: "passed" }),
    gate("old", { outcome: "known" }),
  ];
  const { results } = JSON.parse(ctrf(report([finding()], gates))) as {
    results: { summary: object; tests: { trace?: string }[] };
  };
  expect(results.summary).toMatchObject({ tests: 3, passed: 1, failed: 1, other: 1, stop: 2_000 });
  expect(results.tests[0]?.trace).toBe("src/a b.js:3:5 Do not x. [no-x]");
});

test("html escapes everything, and has no script", () => {
  const text = html(report([finding({ message: HOSTILE, file: "<i>.js", rule: HOSTILE })]));
  expect(text).not.toMatch(/<b>|<i>|<script/);
  expect(text).toContain("&lt;b&gt;&amp;&quot;");
  expect(text).toContain('<li class="error changed">');
});
