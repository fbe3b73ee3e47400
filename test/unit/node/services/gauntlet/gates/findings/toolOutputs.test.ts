/**
 * The findings and tests in the real output of each tool. `make tool-outputs` writes the fixtures. `expected.txt` beside this
 * file has the results; after a change of the fixtures, `vitest -u` writes it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  OUTPUT_FORMATS,
  CHECK_REPORT_FORMATS,
  type OutputFormat,
} from "@/node/services/gauntlet/domain/findings/finding";
import type {
  RawFinding,
  TestRun,
} from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { cleanFinding, findingLine } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { readTools } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputChunks } from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput, parseReport } from "@/node/services/gauntlet/gates/findings/readReports";

const FOLDER = fileURLToPath(new URL("../../../../../../../fixtures/toolOutputs", import.meta.url));
const read = (name: string): string => readFileSync(join(FOLDER, name), "utf8");
const NAMES = readdirSync(FOLDER)
  .filter((name) => !/^(?:README\.md|versions\.json)$/.test(name))
  .sort();
const OUTPUTS = NAMES.filter((name) => name.endsWith(".txt"));
const REPORTS = NAMES.filter((name) => !name.endsWith(".txt"));
const ofOutput = (text: string) => readTools(OUTPUT_FORMATS, outputChunks(text));

/** The formats with a test whose inputs are written by hand. */
const WRITTEN = ["golangci-json"];

/** The outputs that are written from the documentation of the tool, because it cannot be installed here. */
const DOCUMENTED = [
  ...["dotnet-build.txt", "dotnet-test-normal.txt", "dotnet-test.txt", "gradle-junit5.txt"],
  ...["phpunit-12.txt", "ruff-concise.txt", "ruff-full-old.txt", "ruff-full.txt"],
];

/** Returns what is found in a fixture with the formats that find it, and apart from that the names of tests that passed. */
async function blocksOf(name: string): Promise<{ formats: string[]; blocks: string[] }> {
  const text = read(name);
  const isOutput = name.endsWith(".txt");
  const formatsOf = new Map<string, string[]>();
  const passed = new Set<string>();
  const add = (format: string, found: readonly RawFinding[], tests?: TestRun): void => {
    const counts = tests && `${tests.passed}/${tests.failed}/${tests.skipped} tests`;
    const lines = [`, ${counts ?? "no counts"}`, ...found.map(shownWithTest), ""].join("\n");
    formatsOf.set(lines, [...(formatsOf.get(lines) ?? []), format]);
    const names = tests?.names ?? [];
    const files = [...new Set(names.map(({ file }) => file))].map((file) => {
      const own = names.filter((one) => one.file === file).map(({ test: id }) => id);
      return `passed in ${file ?? "no file"}: ${own.join(" | ")}\n`;
    });
    if (files.length > 0) passed.add(files.join(""));
  };
  for (const { tool, found, tests } of isOutput ? ofOutput(text) : []) add(tool, found, tests);
  for (const format of CHECK_REPORT_FORMATS) {
    const isXml = format === "junit";
    if (isXml === (isOutput || !name.endsWith(".xml"))) continue;
    const report = isOutput && !isXml ? parseOutput(format, text) : await parseReport(format, text);
    if (report.problem === undefined) add(format, report.found, report.tests);
  }
  const blocks = [...formatsOf].map(([lines, all]) => `${all.join(", ")}${lines}`);
  const found = blocks.length > 0 ? blocks : ["nothing\n"];
  return { formats: [...formatsOf.values()].flat(), blocks: [...found, ...passed] };
}

/** Returns the line of a finding, with its test unless that has the name of the rule. */
function shownWithTest(raw: RawFinding): string {
  const { test: name } = raw;
  return `${shown(raw)}${name === undefined ? "" : ` = ${name === raw.rule ? "" : name}`}`.trimEnd();
}

function shown(raw: RawFinding): string {
  return findingLine(cleanFinding(raw, raw.file));
}

test("the problems and tests in each output, which no other format matches (G37)", async () => {
  const same = new Map<string, string[]>();
  const known = new Set<string>(WRITTEN);
  for (const name of NAMES) {
    const { formats, blocks } = await blocksOf(name);
    for (const format of formats) known.add(format);
    for (const block of blocks) same.set(block, [...(same.get(block) ?? []), name]);
  }
  // The tests that passed are below the findings, unless other outputs have the same ones.
  const heads = [...same.values()].map((names) => names.join(", "));
  const blocks = [...same.keys()].map((block, i) => {
    const isPassed = block.startsWith("passed in ");
    if (isPassed && heads[i] === heads[i - 1]) return block;
    return `# ${heads[i]}: ${isPassed ? "passed\n" : ""}${block}`;
  });
  await expect(blocks.join("")).toMatchFileSnapshot("expected.txt");
  expect([...known].sort()).toEqual([...OUTPUT_FORMATS, ...CHECK_REPORT_FORMATS].sort());
});

test.each(OUTPUTS)("adds up two runs in one log, as in %s (G37)", (name) => {
  const text = read(name);
  for (const { tool, found, tests } of ofOutput(text)) {
    const [twice] = readTools([tool as OutputFormat], outputChunks(`${text}\n${text}`));
    expect(new Set(twice?.found.map(shown))).toEqual(new Set(found.map(shown)));
    if (tests === undefined) continue;
    const { passed, failed, skipped, names } = tests;
    expect(twice?.tests).toMatchObject({
      ...{ passed: passed * 2, failed: failed * 2, skipped: skipped * 2 },
    });
    // Some readers name a test of two runs once.
    const shownNames = (run?: TestRun) => new Set(run?.names.map((one) => one.test));
    expect(shownNames(twice?.tests)).toEqual(new Set(names.map((one) => one.test)));
  }
});

test("the outputs of many tools in one log have the findings and tests of each (G37)", () => {
  // The lines of AVA's tests look like those of others, so a log with both counts these as well.
  const all = OUTPUTS.filter((name) => /^(?:bun|jest|mocha|node|playwright|vitest)/.test(name));
  const single = all.map((name) => ofOutput(read(name)));
  expect(new Set(single.flat().map(({ tool }) => tool)).size).toBe(6);
  for (const names of [all, all.toReversed()]) {
    const together = ofOutput(names.map(read).join("\n"));
    const linesOf = (tools: typeof together): string[] =>
      tools.flatMap(({ found }) => found.map(shown)).sort();
    expect(linesOf(together)).toEqual(linesOf(single.flat()));
    for (const { tool, tests } of together) {
      const own = single.flat().filter((one) => one.tool === tool);
      const passed = own.reduce((sum, one) => sum + (one.tests?.passed ?? 0), 0);
      expect(tests?.passed, tool).toBe(passed);
      const named = own.flatMap((one) => one.tests?.names.map(({ test: id }) => id) ?? []);
      expect(tests?.names.map(({ test: id }) => id).sort(), tool).toEqual(named.sort());
    }
  }
});

test("the documentation of the fixtures lists those that no tool has written (G37)", () => {
  const listed = read("README.md").match(/^- `[^`]+`/gm) ?? [];
  expect(listed.map((line) => line.slice("- `".length, -1))).toEqual(DOCUMENTED);
});

test("every report that is cut has a problem, and never throws (G37)", async () => {
  for (const name of REPORTS) {
    const text = read(name);
    for (const part of [0.3, 0.6, 0.9]) {
      const format = name.endsWith(".xml") ? "junit" : "ruff-json";
      const { problem } = await parseReport(format, text.slice(0, text.length * part));
      expect(problem, `${name} ${part}`).toMatch(
        /^(?:cannot be parsed: |does not have this format$)/
      );
    }
  }
});
