import { expect, test } from "vitest";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML } from "@/common/source/formats";
import { SourceFile } from "@/common/source/SourceFile";
import { readFindings } from "@/node/services/gauntlet/config/readFindings";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

function read(yaml: string) {
  const problems = new DiagnosticList(true);
  const node = parseYaml(new SourceFile("check.yml", `findings: ${yaml}\n`, YAML), problems);
  const found = readFindings(node?.child("findings"), problems);
  return { found, problems: problems.all.map(({ message }) => message) };
}

test.each([
  ["", undefined],
  ["none", []],
  ["tsc", [{ kind: "output", format: "tsc" }]],
  ["junit:out/*.xml", [{ kind: "report", format: "junit", glob: "out/*.xml" }]],
  ["ruff-json", [{ kind: "report", format: "ruff-json" }]],
  [
    "[pytest, 'sarif:a.sarif']",
    [
      { kind: "output", format: "pytest" },
      { kind: "report", format: "sarif", glob: "a.sarif" },
    ],
  ],
  [
    "{ owner: x, severity: warning, pattern: [{ regexp: '^(.*)$', file: 1 }, { regexp: 'b', loop: true }] }",
    [
      {
        kind: "matcher",
        matcher: {
          severity: "warning",
          pattern: [
            { regexp: "^(.*)$", file: 1 },
            { regexp: "b", loop: true },
          ],
        },
      },
    ],
  ],
])("reads %j (G37)", (yaml, expected) => {
  expect(read(yaml)).toEqual({ found: expected, problems: [] });
});

test.each([
  [
    "eslint-stilish",
    /^expected none, a mapping with "pattern", or one of junit, .*did you mean "eslint-stylish"\?$/,
  ],
  ["junit", /^expected a glob of the files/],
  ["tsc:a.txt", /matched in the output/],
  ["junit:../a.xml", /^expected a glob of files in the folder of the check/],
  ["junit:/a.xml", /^expected a glob of files in the folder of the check/],
  ["[none, tsc]", /^expected none alone/],
  ["5", /^expected none, a mapping/],
  ["{ severity: error }", /^expected a pattern/],
  ["{ pattern: [] }", /^expected a pattern/],
  ["{ pattern: { regexp: '(' } }", /^expected a regular expression: Invalid regular expression/],
  ["{ pattern: { regexp: 'a', file: x } }", /^expected the number of a group/],
  ["{ pattern: { regexp: 'a', fil: 1 } }", /^unknown key; did you mean "file"\?/],
])("rejects %j (G37)", (yaml, message) => {
  expect(read(yaml).problems[0]).toMatch(message);
});
