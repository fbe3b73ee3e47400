import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProblemList } from "@/node/services/gauntlet/config/source/problemList";
import { formatProblem } from "@/node/services/gauntlet/config/source/problem";
import { readShape } from "@/node/services/gauntlet/config/source/validateNode";
import { checkSchema, configSchema } from "@/node/services/gauntlet/config/schema";
import { SourceText } from "@/node/services/gauntlet/config/source/sourceText";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

const PIECES = [
  ..."[]{},:-?|>&*!%@#'\"\t \n".split(""),
  "\r\n",
  "\n  ",
  ": ",
  "- ",
  "&a ",
  "*a",
  "!!binary ",
  "---\n",
  "...\n",
  "<<: ",
  "__proto__",
  "entry_points",
  "path",
  "checks",
  "env",
  "command",
  "timeout",
  "null",
  "1e9",
  "\0",
  "\uFEFF",
  "\ud800",
  "é",
];

describe("whatever a file holds", () => {
  it("is read or told, each problem at a place that exists (G5)", () => {
    const texts = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(texts, fc.constantFrom(configSchema, checkSchema), (text, schema) => {
        const problems = new ProblemList(true);
        const source = new SourceText("c.yml", text);
        const tree = parseYaml(source, problems);
        const fields = tree && readShape({ source, tree, path: [] }, schema, problems);
        expect(fields !== undefined || problems.hasErrors).toBe(true);
        const lines = text.split("\n");
        for (const problem of problems.all) {
          const { line, column, sourceLine } = problem;
          expect(lines[line - 1]?.startsWith(sourceLine)).toBe(true);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          expect(formatProblem(problem).split("\n").length).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 2_000 }
    );
  });
});
