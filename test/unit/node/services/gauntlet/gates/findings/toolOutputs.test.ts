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
import { findingLine } from "@/node/services/gauntlet/gates/findings/listFindings";
import { matchAllFormats, matchFormat } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { cleanFinding } from "@/node/services/gauntlet/gates/findings/orderFindings";
import { outputChunks } from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput, parseReport } from "@/node/services/gauntlet/gates/findings/parseReport";
import type { RawFinding } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { EXPECTED } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

const FOLDER = fileURLToPath(new URL("../../../../../../../fixtures/toolOutputs", import.meta.url));
const read = (name: string): Promise<string> => readFile(join(FOLDER, name), "utf8");
const shown = (found: readonly RawFinding[]): string[] =>
  found.map((raw) => findingLine(cleanFinding(raw, raw.file)));

/** The formats with a test whose inputs are written by hand. */
const WRITTEN = ["golangci-json"];

test.each(Object.entries(EXPECTED))("finds the problems in %s (G37)", async (name, expected) => {
  const text = await read(name);
  const { format, lines } = expected;
  if (isOutputFormat(format)) {
    const output = outputChunks(text);
    expect(shown(matchFormat(format, output))).toEqual(lines);
    // The default matches with all formats, and none of the others finds anything in this output.
    expect(shown(matchAllFormats(output))).toEqual(lines);
    return;
  }
  const isOutput = name.endsWith(".txt");
  const { found, problem } =
    isOutput && format !== "junit" ? parseOutput(format, text) : await parseReport(format, text);
  expect(problem).toBeUndefined();
  expect(shown(found)).toEqual(lines);
});

test("every format has the output of a real tool, and every output is tested (G37)", async () => {
  const names = (await readdir(FOLDER)).filter(
    (name) => !/^(?:README\.md|versions\.json)$/.test(name)
  );
  expect(Object.keys(EXPECTED).sort()).toEqual(names.sort());
  const formats = new Set([...Object.values(EXPECTED).map(({ format }) => format), ...WRITTEN]);
  expect([...formats].sort()).toEqual([...OUTPUT_FORMATS, ...REPORT_FORMATS].sort());
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

function isOutputFormat(format: string): format is OutputFormat {
  return OUTPUT_FORMATS.some((one) => one === format);
}
