import { expect, test } from "vitest";
import { countDiagnostics, fileDiagnostic } from "@/common/diagnostics";

test("counts the problems of each severity, the highest first", () => {
  const [error, warning] = [fileDiagnostic("error", "", ""), fileDiagnostic("warning", "", "")];
  expect(countDiagnostics([warning, error, warning])).toBe("1 error, 2 warnings");
  expect(countDiagnostics([])).toBe("");
});
