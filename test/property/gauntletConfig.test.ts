import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { checkSchema, configSchema } from "@/node/services/gauntlet/domain/configKeys";
import { YAML, SourceFile } from "@/common/source/SourceFile";
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

describe("a file of any content", () => {
  it("is parsed or rejected, and each problem has a valid position (G5)", () => {
    const texts = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(texts, fc.constantFrom(configSchema, checkSchema), (text, schema) => {
        const problems = new DiagnosticList(true);
        const source = new SourceFile("c.yml", text, YAML);
        const node = parseYaml(source, problems);
        const fields = node && validateNode(node, schema, problems);
        expect(fields !== undefined || problems.hasErrors).toBe(true);
        const lines = text.split("\n");
        for (const problem of problems.all) {
          const { line, column, sourceLine } = problem;
          expect(lines[line - 1]?.startsWith(sourceLine)).toBe(true);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          expect(formatDiagnostic(problem).split("\n").length).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 800 }
    );
  });
});
