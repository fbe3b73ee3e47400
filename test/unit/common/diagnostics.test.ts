import { expect, test } from "vitest";
import { countDiagnostics, fileDiagnostic } from "@/common/diagnostics";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { SourceFile, YAML } from "@/common/source/SourceFile";
import { SourceNode } from "@/common/source/SourceNode";

test("counts the problems of each severity, the highest first", () => {
  const [error, warning] = [fileDiagnostic("error", "", ""), fileDiagnostic("warning", "", "")];
  expect(countDiagnostics([warning, error, warning])).toBe("1 error, 2 warnings");
  expect(countDiagnostics([])).toBe("");
});

test("locates a wrong value at its start, an empty one at its key, and a missing one at the key above", () => {
  const source = new SourceFile("a.yml", "b:\nc: 1\n", YAML);
  const root = new SourceNode(source, "mapping", { start: 0, end: 8 }, undefined);
  const slot = { parent: root, keySpan: { start: 0, end: 1 } };
  new SourceNode(source, "scalar", { start: 2, end: 2 }, { ...slot, key: "b" }, null);
  const own = { ...slot, key: "c", keySpan: { start: 3, end: 4 } };
  new SourceNode(source, "scalar", { start: 6, end: 7 }, own, 1);
  const list = new DiagnosticList();
  const message = "Invalid input: expected string";
  const issues = [["b"], ["c"], ["d"]].map((path) => ({ code: "custom", path, message }) as const);
  list.addIssues("error", root, issues, () => "");
  expect(
    list.all.map(({ line, column, keyPath, message: text }) => [line, column, keyPath, text])
  ).toEqual([
    [1, 1, "b", "expected string, found no value"],
    [2, 4, "c", "expected string, found 1"],
    [1, 1, "d", "missing: expected string"],
  ]);
});
