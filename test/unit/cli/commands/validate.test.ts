import { expect, test } from "vitest";
import { explainDiagnostic } from "@/cli/commands/validate";
import { styleFor } from "@/cli/render/style";
import type { Diagnostic } from "@/common/diagnostics";
import { RecordedOutput } from "@test/helpers/cliContext";

const plain = styleFor(new RecordedOutput(), {});
const problem = (line: number, column: number): Diagnostic => ({
  severity: "warning",
  file: "/p/.mux/settings.json",
  line,
  column,
  keyPath: "a.b",
  message: "expected a number",
});

test("shows the line of the file, and a squiggle below its token", () => {
  const source = '{\n  "timeout": "soon",\r\n}';
  expect(explainDiagnostic(problem(2, 14), source, plain)).toBe(
    [
      "warning /p/.mux/settings.json:2:14: a.b: expected a number",
      ' 2 |   "timeout": "soon",',
      "                  ~~~~~~",
    ].join("\n")
  );
});

test.each([
  ["counts a tab as one column, as editors do", "\t\t-1", 3, "  -1", "  ~~"],
  ["has the width of wide characters", '"名前": "値👍",', 7, '"名前": "値👍",', "        ~~~~~~"],
])("the squiggle %s", (_, source, column, shown, squiggle) => {
  const excerpt = explainDiagnostic(problem(1, column), source, plain).split("\n");
  expect(excerpt.slice(1)).toEqual([` 1 | ${shown}`, `     ${squiggle}`]);
});

test.each([1, 200])("shows only the part of a long line around %i characters", (length) => {
  const source = `${" ".repeat(500)}"${"x".repeat(length)}"${" ".repeat(500)}`;
  const shown = explainDiagnostic(problem(1, 501), source, plain);
  const [, line = "", squiggle = ""] = shown.split("\n");
  expect(line).toHaveLength(" 1 | ".length + 100);
  expect(squiggle.indexOf("~")).toBe(line.indexOf('"x'));
  expect(squiggle.length).toBeLessThanOrEqual(line.length);
});

test("escapes control characters of the file", () => {
  const source = '"\u001b[2J"';
  expect(explainDiagnostic(problem(1, 1), source, plain)).not.toContain("\u001b");
});

test("shows no excerpt for a position outside of the file", () => {
  expect(explainDiagnostic(problem(9, 1), "{}", plain).split("\n")).toHaveLength(1);
  expect(explainDiagnostic(problem(1, 1), undefined, plain).split("\n")).toHaveLength(1);
});
