/** JSON reports: the output of golangci-lint, in the shapes that its documentation describes, and lists (G37). */
import { expect, test } from "vitest";
import { findingLine, cleanFinding } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { matchAllFormats } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputChunks } from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput, parseReport } from "@/node/services/gauntlet/gates/findings/readReports";
import type { JsonFormat } from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";
import type { RawFinding } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const shown = (found: readonly RawFinding[]): string[] =>
  found.map((raw) => findingLine(cleanFinding(raw, raw.file)));

const issue = (line: number, column: number, more: object): object => ({
  ...{ FromLinter: "errcheck", Text: "Error return value is not checked", Severity: "" },
  SourceLines: ["\tos.Remove(name)"],
  Pos: { Filename: "store/store.go", Offset: 120, Line: line, Column: column },
  ...{ ExpectNoLint: false, ExpectedNoLintLinter: "" },
  ...more,
});
const REPORT = JSON.stringify({
  Issues: [
    issue(9, 11, {}),
    issue(14, 2, { FromLinter: "revive", Text: "exported: no comment", Severity: "warning" }),
    issue(20, 0, { FromLinter: "typecheck", Text: "undefined: load" }),
  ],
  Report: { Linters: [{ Name: "errcheck", Enabled: true }, { Name: "gosec" }] },
});
const LINES = [
  "store/store.go:9:11 Error return value is not checked [errcheck]",
  "store/store.go:14:2 warning: exported: no comment [revive]",
  "store/store.go:20 undefined: load [typecheck]",
];

test("has its problems as JSON in a file, or in the output among other lines (G37)", async () => {
  const { found, problem } = await parseReport("golangci-json", REPORT);
  expect(problem).toBeUndefined();
  expect(shown(found)).toEqual(LINES);
  const output = `level=warning msg="[config] unknown option"\n${REPORT}\n3 issues:\n* errcheck: 1\n`;
  expect(shown(parseOutput("golangci-json", output).found)).toEqual(LINES);
  const sarif = '{"version":"2.1.0","runs":[{"results":[{"message":{"text":"wrong"}}]}]}';
  expect(shown(parseOutput("golangci-json", sarif).found)).toEqual(["warning: wrong"]);
});

test.each<[JsonFormat, string]>([
  ["eslint-json", '[{"filePath":"a.js","messages":[{"line":1,"message":"wrong"}]}]'],
  ["ruff-json", '[{"filename":"a.js","location":{"row":1},"message":"wrong"}]'],
])("%s is not a list of something else that was printed before it (G37)", (format, report) => {
  const output = `[]\n[{"name":"a"}]\n${report}\n`;
  expect(shown(parseOutput(format, output).found)).toEqual(["a.js:1 wrong"]);
  expect(parseOutput(format, "[]\n")).toEqual({ found: [] });
  expect(parseOutput(format, '[{"name":"a"}]\n').problem).toBe(NOT_THIS_FORMAT);
});

test.each(['{"Issues":null,"Report":{}}', '{"Issues":[]}'])(
  "may have none: %s (G37)",
  async (text) => {
    expect(await parseReport("golangci-json", text)).toEqual({ found: [] });
  }
);

test.each([REPORT.slice(0, -20), "[]", '{"Report":{}}', "3 issues"])(
  "has a problem if it is not a whole report: %s (G37)",
  async (text) => {
    const { found, problem } = await parseReport("golangci-json", text);
    expect(found).toEqual([]);
    expect(problem).toMatch(/^(?:cannot be parsed: |does not have this format$)/);
  }
);

test("has its problems as text (G37)", () => {
  const text = `store/store.go:9:11: Error return value is not checked (errcheck)
	os.Remove(name)
	         ^
store/store.go:20: undefined: load (typecheck)
2 issues:
* errcheck: 1
* typecheck: 1
`;
  expect(shown(matchAllFormats(outputChunks(text)))).toEqual([
    "store/store.go:9:11 Error return value is not checked (errcheck)",
    "store/store.go:20 undefined: load (typecheck)",
  ]);
});
