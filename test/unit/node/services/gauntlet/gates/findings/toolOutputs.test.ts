/** The findings in the real output of each tool. `make tool-outputs` writes the fixtures. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  OUTPUT_FORMATS,
  REPORT_FORMATS,
  type OutputFormat,
} from "@/node/services/gauntlet/domain/findings/finding";
import { findingLine, cleanFinding } from "@/node/services/gauntlet/gates/findings/listFindings";
import {
  matchAllFormats,
  readTools,
  OUTPUT_READERS,
} from "@/node/services/gauntlet/gates/findings/matchOutput";
import {
  outputChunks,
  type OutputChunks,
} from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput, parseReport } from "@/node/services/gauntlet/gates/findings/readReports";
import type { RawFinding, TestRun } from "@/node/services/gauntlet/gates/findings/formats/reader";
import {
  EXPECTED as FINDINGS,
  type ExpectedFindings,
} from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";
import { JAVASCRIPT } from "@test/unit/node/services/gauntlet/gates/findings/expectedJavascript";
import { NATIVE } from "@test/unit/node/services/gauntlet/gates/findings/expectedNative";
import { PYTHON } from "@test/unit/node/services/gauntlet/gates/findings/expectedPython";
import { TEST_RUNNERS } from "@test/unit/node/services/gauntlet/gates/findings/expectedTestRunners";
import { REPORTS } from "@test/unit/node/services/gauntlet/gates/findings/expectedReports";

const matchFormat = (format: OutputFormat, output: OutputChunks): RawFinding[] =>
  readTools([format], output).flatMap(({ found }) => found);
const FOLDER = fileURLToPath(new URL("../../../../../../../fixtures/toolOutputs", import.meta.url));
const read = (name: string): Promise<string> => readFile(join(FOLDER, name), "utf8");
const shown = (found: readonly RawFinding[]): string[] =>
  found.map((raw) => findingLine(cleanFinding(raw, raw.file)));

/** Each file has at most 400 lines: that of a language holds the outputs of its tools. */
const EXPECTED: Readonly<Record<string, ExpectedFindings>> = {
  ...FINDINGS,
  ...JAVASCRIPT,
  ...NATIVE,
  ...PYTHON,
  ...TEST_RUNNERS,
  ...REPORTS,
};

/** The formats with a test whose inputs are written by hand. */
const WRITTEN = ["golangci-json"];

/** The outputs that are written from the documentation of the tool, because it cannot be installed here. */
const DOCUMENTED = [
  "dotnet-build.txt",
  "dotnet-test-normal.txt",
  "dotnet-test.txt",
  "gradle-junit5.txt",
  "phpunit-12.txt",
  "ruff-concise.txt",
  "ruff-full-old.txt",
  "ruff-full.txt",
];

test.each(Object.entries(EXPECTED))("finds the problems in %s (G37)", async (name, expected) => {
  const text = await read(name);
  const { format, lines, ids = [], tests } = expected;
  if (isOutputFormat(format)) {
    const output = outputChunks(text);
    const matched = matchFormat(format, output);
    expect(shown(matched)).toEqual(lines);
    expect(idsOf(matched)).toEqual(ids);
    // The default matches with all formats, and none of the others finds anything in this output.
    expect(shown(matchAllFormats(output))).toEqual(lines);
    const runs = OUTPUT_FORMATS.map((one) => [one, testsIn(one, output)] as const);
    expect(runs.filter(([, run]) => run !== undefined)).toEqual(
      tests === undefined ? [] : [[format, tests]]
    );
    return;
  }
  const isOutput = name.endsWith(".txt");
  const report =
    isOutput && format !== "junit" ? parseOutput(format, text) : await parseReport(format, text);
  expect(report.problem).toBeUndefined();
  expect(shown(report.found)).toEqual(lines);
  expect(idsOf(report.found)).toEqual(ids);
  expect(report.tests === undefined ? undefined : shownTests(report.tests)).toEqual(tests);
});

test.each(Object.entries(EXPECTED).filter(([, { tests }]) => tests !== undefined))(
  "adds up two runs in one log, as in %s (G37)",
  async (name, { format, lines, tests }) => {
    if (!isOutputFormat(format) || tests === undefined) return;
    const text = await read(name);
    const output = outputChunks(`${text}\n${text}`);
    expect(new Set(shown(matchFormat(format, output)))).toEqual(new Set(lines));
    const counted = testsIn(format, output);
    const { passed, failed, skipped, names } = tests;
    expect(counted).toMatchObject({
      ...{ passed: passed * 2, failed: failed * 2, skipped: skipped * 2 },
    });
    // Some readers name a test of two runs once.
    expect(new Set(counted?.names)).toEqual(new Set(names));
  }
);

test("the outputs of many tools in one log have the findings and tests of each (G37)", async () => {
  const all = Object.entries({ ...JAVASCRIPT, ...REPORTS });
  // The lines of AVA's tests look like those of others, so a log with both counts these as well.
  const entries = all.filter(([, { format }]) => isOutputFormat(format) && format !== "ava");
  const texts = await Promise.all(entries.map(([name]) => read(name)));
  for (const log of [texts, texts.toReversed()]) {
    const output = outputChunks(log.join("\n"));
    const found = shown(matchAllFormats(output));
    expect(found.sort()).toEqual(entries.flatMap(([, { lines }]) => lines).sort());
    for (const format of OUTPUT_FORMATS) {
      const runs = entries.flatMap(([, one]) => (one.format === format ? (one.tests ?? []) : []));
      const tests = testsIn(format, output);
      const passed = runs.reduce((sum, run) => sum + run.passed, 0);
      expect(tests?.passed, format).toBe(runs.length === 0 ? undefined : passed);
      const names = runs.flatMap((run) => run.names);
      expect([...(tests?.names ?? [])].sort(), format).toEqual(names.sort());
    }
  }
});

test("every format has the output of a real tool, and every output is tested (G37)", async () => {
  const names = (await readdir(FOLDER)).filter(
    (name) => !/^(?:README\.md|versions\.json)$/.test(name)
  );
  expect(Object.keys(EXPECTED).sort()).toEqual(names.sort());
  const formats = new Set([...Object.values(EXPECTED).map(({ format }) => format), ...WRITTEN]);
  expect([...formats].sort()).toEqual([...OUTPUT_FORMATS, ...REPORT_FORMATS].sort());
});

test("the documentation of the fixtures lists those that no tool has written (G37)", async () => {
  const listed = (await read("README.md")).match(/^- `[^`]+`/gm) ?? [];
  expect(listed.map((line) => line.slice("- `".length, -1))).toEqual(DOCUMENTED);
});

test("every report that is cut has a problem, and never throws (G37)", async () => {
  for (const [name, { format }] of Object.entries(EXPECTED)) {
    if (isOutputFormat(format) || name.endsWith(".txt")) continue;
    const text = await read(name);
    for (const part of [0.3, 0.6, 0.9]) {
      const { problem } = await parseReport(format, text.slice(0, text.length * part));
      expect(problem, `${name} ${part}`).toMatch(
        /^(?:cannot be parsed: |does not have this format$)/
      );
    }
  }
});

function idsOf(found: readonly RawFinding[]): string[] {
  return found.flatMap(({ test }) => test ?? []);
}

/** Returns the tests that the readers of a format count together. */
function testsIn(format: OutputFormat, output: OutputChunks) {
  const readers = OUTPUT_READERS[format]();
  for (const lines of output) {
    for (const line of lines) for (const reader of readers) reader.read(line);
  }
  const runs = readers.flatMap(({ tally }) => tally?.run ?? []);
  return runs.length === 0 ? undefined : shownTests(added(runs));
}

function added(runs: readonly TestRun[]): TestRun {
  const [passed = 0, failed = 0, skipped = 0] = (["passed", "failed", "skipped"] as const).map(
    (kind) => runs.reduce((sum, run) => sum + run[kind], 0)
  );
  return { passed, failed, skipped, names: runs.flatMap(({ names }) => names) };
}

function shownTests({ names, ...counts }: TestRun): ExpectedFindings["tests"] {
  return {
    ...counts,
    names: names.map((one) => (one.file === undefined ? one.test : `${one.file}: ${one.test}`)),
  };
}

function isOutputFormat(format: string): format is OutputFormat {
  return OUTPUT_FORMATS.some((one) => one === format);
}
