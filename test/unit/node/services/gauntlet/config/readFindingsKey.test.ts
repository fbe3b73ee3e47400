import { expect, test } from "vitest";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import { readFindings } from "@/node/services/gauntlet/config/readFindingsKey";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

function read(yaml: string) {
  const problems = new DiagnosticList(true);
  const node = parseYaml(new SourceFile("check.yml", `findings: ${yaml}\n`, YAML), problems);
  const found = readFindings(node?.child("findings"), problems);
  const { hasErrors } = problems;
  return { found, hasErrors, problems: problems.all.map(({ message }) => message) };
}

const SARIF = { kind: "report", format: "sarif", glob: "a.sarif" };
const FIRST = { regexp: "^(.*)$", file: 1 };
const MATCHER = { severity: "warning", pattern: [FIRST, { regexp: "b", loop: true }] };

test.each([
  ["", undefined],
  ["none", []],
  ["tsc", [{ kind: "output", format: "tsc" }]],
  ["junit:out/*.xml", [{ kind: "report", format: "junit", glob: "out/*.xml" }]],
  ["junit", [{ kind: "report", format: "junit" }]],
  ["ruff-json", [{ kind: "report", format: "ruff-json" }]],
  ["[pytest, 'sarif:a.sarif']", [{ kind: "output", format: "pytest" }, SARIF]],
  [
    "{ owner: &a [&b error, *b], source: &b warning, name: *a, severity: *b, pattern: [{ regexp: '^(.*)$', file: 1 }, { regexp: 'b', loop: true }] }",
    [{ kind: "matcher", matcher: MATCHER }],
  ],
])("reads %j (G37)", (yaml, expected) => {
  expect(read(yaml)).toEqual({ found: expected, hasErrors: false, problems: [] });
});

test.each([
  ["tsc:a.txt", /matched in the output/],
  ["junit:../a.xml", /^expected a glob of files in the folder of the check/],
  ["junit:/a.xml", /^expected a glob of files in the folder of the check/],
  ["[none, tsc]", /^expected none alone/],
  ["{ severity: error }", /^expected a pattern/],
  ["{ pattern: [] }", /^expected a pattern/],
  [`{ pattern: [${"{ regexp: a },".repeat(11)}] }`, /or a list of at most 10$/],
  ["{ pattern: { regexp: '(' } }", /^expected a regular expression: Invalid regular expression/],
  ["{ pattern: { regexp: 'a', file: x } }", /^expected the number of a group/],
  ["{ pattern: { regexp: 'a', fil: 1 } }", /^unknown key; did you mean "file"\?/],
])("rejects %j (G37)", (yaml, message) => {
  const { hasErrors, problems } = read(yaml);
  expect(problems[0]).toMatch(message);
  expect(hasErrors).toBe(true);
});

const UNKNOWN = 'expected none, a mapping with "pattern", or one of junit, ';

test.each([
  ["eslint-stilish", undefined, '; did you mean "eslint-stylish"?'],
  ["[eslint-stilish, tsk]", undefined, '; did you mean "eslint-stylish"?'],
  ["[eslint-stilish, tsc]", [{ kind: "output", format: "tsc" }], 'mean "eslint-stylish"?'],
  ["eslint-stilish:a.txt", undefined, 'mean "eslint-stylish"?'],
  ["5", undefined, ""],
])("ignores an unknown format in %j, with a warning (G37)", (yaml, expected, hint) => {
  const { found, hasErrors, problems } = read(yaml);
  expect(found).toEqual(expected);
  expect(hasErrors).toBe(false);
  expect(problems[0]?.startsWith(UNKNOWN)).toBe(true);
  expect(problems[0]?.endsWith(hint)).toBe(true);
});
