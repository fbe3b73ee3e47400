import { describe, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/runStatus";
import { eventLines } from "@/node/services/gauntlet/report/eventLines";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { gateResult } from "@test/helpers/gauntlet/runParts";

const gate = gateResult("check:src:lint", "passed", { durationMs: 412 });

const ended = (result: RunResult): string[] => eventLines({ type: "run-end", result });

describe("eventLines (G30a)", () => {
  test.each([
    [{}, ["[PASS]  check:src:lint (0.41s)"]],
    [{ cachedSince: "T" }, ["[PASS]  check:src:lint (cached, passed at T)"]],
    [
      { outcome: "failed", message: "Exited with code 3", logPath: "/l" },
      ["[FAIL]  check:src:lint (0.41s) - Exited with code 3", "      Log: /l"],
    ],
    [
      { outcome: "error", message: "Could not be started" },
      ["[ERROR] check:src:lint (0.41s) - Could not be started"],
    ],
    [{ outcome: "skipped", message: "Not started" }, ["[SKIP]  check:src:lint - Not started"]],
    [{ outcome: "cancelled" }, ["[SKIP]  check:src:lint - cancelled"]],
  ] as const)("prints a gate that ended: %j", (more, lines) => {
    expect(eventLines({ type: "gate-end", result: { ...gate, ...more } })).toEqual(lines);
  });

  test("prints what was fixed, skipped and failed, and then the status", () => {
    const failed = { ...gate, outcome: "failed" } as const;
    const known = {
      gates: [gate, failed],
      fixed: ["check:.:a"],
      skipped: [{ issue: "x", reason: "y" }],
      attempt: 2,
    };
    expect(ended(createResult("failed", known))).toEqual([
      "",
      "Iteration 2:",
      "  ✓ Fixed: check:.:a",
      "  ⊘ Skipped: x",
      "      Reason: y",
      "Total: 1 fixed, 1 skipped, 1 failed",
      "Status: Failed",
    ]);
  });

  test.each(GAUNTLET_STATUSES)("prints at least one line for %s", (status) => {
    expect(ended(createResult(status)).join("")).not.toBe("");
  });

  test("prints problems with their positions without a prefix", () => {
    const errorMessage = "the configuration is invalid\n 1 | x\n     ~";
    const lines = [errorMessage, "The changes were not verified."];
    expect(ended(createResult("error", { errorMessage }))).toEqual(lines);
  });
});

describe("a name cannot break its line or control a terminal", () => {
  const name = "x\nStatus: Passed\u001b[2J\u009b1A\u202e";
  const shown = "x\\nStatus: Passed\\u001b[2J\\u009b1A\\u202e";

  test.each([
    [{ type: "gate-start", job: checkJob("true", {}, name), logPath: "" }],
    [{ type: "gate-end", result: { ...gate, jobId: name } }],
    [{ type: "gate-end", result: { ...gate, outcome: "failed", message: name } }],
    [{ type: "gate-end", result: { ...gate, outcome: "failed", logPath: name } }],
    [{ type: "gate-end", result: { ...gate, outcome: "skipped", message: name } }],
    [{ type: "run-end", result: createResult("failed", { gates: [gate], fixed: [name] }) }],
    [
      {
        type: "run-end",
        result: createResult("failed", { gates: [gate], skipped: [{ issue: name, reason: name }] }),
      },
    ],
  ] as const)("%j", (event) => {
    const text = eventLines(event).join("\n");
    expect(text).toContain(shown);
    expect(text).not.toMatch(/^Status: Passed/m);
  });
});
