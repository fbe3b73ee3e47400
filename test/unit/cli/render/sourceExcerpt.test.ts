import { expect, test } from "vitest";
import { explainDiagnostic } from "@/cli/render/sourceExcerpt";
import { styleFor } from "@/cli/render/style";
import type { Diagnostic } from "@/common/diagnostics";
import { HeadTailBuffer } from "@test/helpers/cliContext";

const plain = styleFor(new HeadTailBuffer(), {});
const problem = (line: number, column: number): Diagnostic => ({
  severity: "warning",
  file: "/p/.mux/settings.json",
  line,
  column,
  keyPath: "a.b",
  message: "expected a number",
});

test("the line of the file stands below, and the squiggle below its token", () => {
  const source = '{\n  "timeout": "soon",\r\n}';
  expect(explainDiagnostic(problem(2, 14), source, plain)).toBe(
    [
      "warning /p/.mux/settings.json:2:14: a.b: expected a number",
      ' 2 |   "timeout": "soon",',
      "                  ~~~~~~",
    ].join("\n")
  );
});

test("a tab is one column, as editors count", () => {
  const excerpt = explainDiagnostic(problem(1, 3), "\t\t-1", plain).split("\n");
  expect(excerpt.slice(1)).toEqual([" 1 |   -1", "       ~~"]);
});

test("the squiggle is below and as wide as a token with wide characters", () => {
  const source = '"名前": "値👍",';
  const excerpt = explainDiagnostic(problem(1, 7), source, plain).split("\n");
  expect(excerpt.slice(1)).toEqual([` 1 | ${source}`, "             ~~~~~~"]);
});

test("of a long line only what is around the problem is shown", () => {
  const source = `${" ".repeat(500)}"x"${" ".repeat(500)}`;
  const [, line = "", squiggle = ""] = explainDiagnostic(problem(1, 501), source, plain).split(
    "\n"
  );
  expect(line).toHaveLength(" 1 | ".length + 100);
  expect(squiggle.indexOf("~")).toBe(line.indexOf('"x"'));
});

test("what a file holds cannot steer the terminal", () => {
  const source = '"\u001b[2J"';
  expect(explainDiagnostic(problem(1, 1), source, plain)).not.toContain("\u001b");
});

test("a place that the file does not have has no excerpt", () => {
  expect(explainDiagnostic(problem(9, 1), "{}", plain).split("\n")).toHaveLength(1);
  expect(explainDiagnostic(problem(1, 1), undefined, plain).split("\n")).toHaveLength(1);
});
