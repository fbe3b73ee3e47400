import { describe, expect, test } from "vitest";
import type { LocatedDiagnostic } from "@/common/diagnostics";
import type { GateOutcome } from "@/node/services/gauntlet/domain/gate";
import { createResult, invalidConfig } from "@/node/services/gauntlet/run/createResult";
import { gateResult } from "@test/helpers/gauntlet/runParts";

describe("createResult", () => {
  test.each<[GateOutcome, { gatesRun: number; gatesFailed: number }]>([
    ["passed", { gatesRun: 1, gatesFailed: 0 }],
    ["failed", { gatesRun: 1, gatesFailed: 1 }],
    ["error", { gatesRun: 1, gatesFailed: 1 }],
    ["skipped", { gatesRun: 0, gatesFailed: 0 }],
    ["cancelled", { gatesRun: 0, gatesFailed: 0 }],
  ])("counts a gate that %s (G2)", (outcome, counts) => {
    const gates = [gateResult("check:.:lint", outcome)];
    expect(createResult("failed", { gates })).toMatchObject(counts);
  });

  test("has empty lists for missing facts", () => {
    expect(createResult("no_changes")).toStrictEqual({
      status: "no_changes",
      message: "no changes",
      gatesRun: 0,
      gatesFailed: 0,
      gates: [],
      fixed: [],
      skipped: [],
      warnings: [],
    });
  });

  test("includes the known facts, and describes them in its message (G25)", () => {
    const gates = [gateResult("check:.:lint", "failed"), gateResult("check:.:types")];
    const known = { gates, attempt: 2, maxAttempts: 4, warnings: ["slow"] };
    expect(createResult("failed", known)).toMatchObject({
      ...known,
      message: "1 of 2 gates failed: check:.:lint, attempt 2 of 4",
    });
  });
});

const problem = (severity: LocatedDiagnostic["severity"], line: number): LocatedDiagnostic => ({
  severity,
  file: "config.yml",
  line,
  column: 1,
  keyPath: "cli",
  message: "is wrong",
  length: 0,
  sourceLine: "",
});

test("invalidConfig names the first error in its first line, and lists all problems below it (G5)", () => {
  const result = invalidConfig([problem("warning", 1), problem("error", 2), problem("error", 3)]);
  expect(result.status).toBe("error");
  expect(result.errorMessage?.split("\n")).toEqual([
    "the configuration is invalid: config.yml:2:1: cli: is wrong",
    "warning: config.yml:1:1: cli: is wrong",
    "error: config.yml:2:1: cli: is wrong",
    "error: config.yml:3:1: cli: is wrong",
  ]);
  expect(result.message).toBe(
    "the configuration is invalid: config.yml:2:1: cli: is wrong; the changes were not verified"
  );
});
