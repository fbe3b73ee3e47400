import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRunOutput, readDetails, type Detail } from "@/cli/gauntlet/render/printEvents";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { testContext } from "@test/helpers/cliContext";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { screen } from "@test/helpers/process/terminal";
import { tempDir } from "@test/helpers/tempDir";

const job = checkJob("true", { name: "a" });
const base = { jobId: job.id, kind: "check", gate: "a", entryPoint: ".", durationMs: 7 } as const;
const passed: GateResult = { ...base, outcome: "passed" };
const failed: GateResult = { ...base, outcome: "failed", message: "Exited with code 1" };

interface Options {
  readonly tty?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly detail?: Detail;
}

/** Returns the lines of a run with one notice and one gate. */
async function shownFor(result: GateResult, options: Options = {}) {
  const { tty = true, detail = "normal", env } = options;
  const dir = await tempDir();
  const context = testContext({ cwd: dir, home: dir }, { tty, env: { NO_COLOR: "1", ...env } });
  const output = openRunOutput(new LocalRuntime(), context, { plain: false, detail });
  output.listener({ type: "notice", level: "info", text: "a note" });
  output.listener({ type: "plan", jobs: [job] });
  output.listener({ type: "gate-start", job, logPath: "/p/log" });
  output.listener({ type: "gate-end", result });
  const status = result.outcome === "passed" ? "passed" : "failed";
  output.listener({ type: "run-end", result: { ...createResult(status), gates: [result] } });
  await output.end();
  return screen(context.stderr.text).trimEnd().split("\n");
}

async function logOf(lines: readonly string[]): Promise<string> {
  const path = join(await tempDir(), "a.log");
  const own = "[2026-01-01T00:00:00.000Z] Result: failed (1.20s)\n";
  await writeFile(path, `${lines.join("\n")}\n\n${own}`);
  return path;
}

const OUTPUT = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\u001b[31m\u001b[2J\tx`);
const FINDINGS: Finding[] = OUTPUT.map((_, i) => ({
  ...{ file: "src/a.ts", line: i + 1, column: 7, severity: "error", message: "wrong" },
}));
const END = ["", "Gates: 1 failed", "Time: 0ms", "Status: Failed"];

test("shows the last lines of a failed gate's log, without control sequences, and none of a log that is not there (G30)", async () => {
  const logPath = await logOf(OUTPUT);
  expect(await shownFor({ ...failed, logPath })).toEqual([
    "a note",
    "  ✖ check:.:a  failed           7ms  Exited with code 1",
    ...OUTPUT.slice(2).map((_, i) => `      | line ${i + 3}    x`),
    `      Log: ${logPath}`,
    ...END,
  ]);
  const missing = await shownFor({ ...failed, logPath: "/none/a.log" });
  expect(missing.slice(2)).toEqual(["      Log: /none/a.log", ...END]);
});

test("shows the first findings instead of the log, and the path of the others (G30, G37)", async () => {
  const result = { ...failed, findings: FINDINGS, findingsPath: "/p/findings.txt" };
  expect((await shownFor(result)).slice(1)).toEqual([
    "  ✖ check:.:a  failed           7ms  Exited with code 1",
    ...FINDINGS.slice(0, 10).map(({ line }) => `      src/a.ts:${line ?? 0}:7 wrong`),
    "      2 more: /p/findings.txt",
    ...END,
  ]);
});

test("--verbose shows all findings, and the last line of a pass (G30)", async () => {
  const result = { ...failed, findings: FINDINGS, findingsPath: "/p/findings.txt" };
  expect(await shownFor(result, { detail: "verbose" })).toContain("      src/a.ts:12:7 wrong");
  const logPath = await logOf(OUTPUT);
  const lines = await shownFor({ ...passed, logPath }, { detail: "verbose" });
  expect(lines.slice(1, 3)).toEqual([
    "  ✔ check:.:a  passed           7ms",
    "      | line 12    x",
  ]);
});

test("--quiet shows only failed gates and the verdict (G30)", async () => {
  const options = { detail: "quiet" } as const;
  expect(await shownFor(passed, options)).toEqual(["Status: Passed"]);
  expect(await shownFor(failed, options)).toEqual([
    "  ✖ check:.:a  failed           7ms  Exited with code 1",
    "Status: Failed",
  ]);
});

test("plain lines have details only with --verbose, and fewer lines with --quiet (G30a)", async () => {
  const logPath = await logOf(["one", "two"]);
  const result = { ...failed, logPath };
  const gate = ["[FAIL]  check:.:a (0.01s) - Exited with code 1", `      Log: ${logPath}`];
  const start = ["a note", "[START] check:.:a"];
  const end = ["", "Iteration 1:", "Total: 0 fixed, 0 skipped, 1 failed", "Status: Failed"];
  expect(await shownFor(result, { tty: false })).toEqual([...start, ...gate, ...end]);
  expect(await shownFor(result, { tty: false, detail: "verbose" })).toEqual([
    ...[...start, ...gate, "      | one", "      | two"],
    ...end,
  ]);
  expect(await shownFor(result, { tty: false, detail: "quiet" })).toEqual([
    ...gate,
    "Status: Failed",
  ]);
});

test.each([{ CI: "true" }, { TERM: "dumb" }])(
  "a terminal with %j gets plain lines (G30)",
  async (env) => {
    expect(await shownFor(passed, { env })).toContain("[START] check:.:a");
  }
);

async function textOf(result: GateResult, isVerbose = false): Promise<string[]> {
  const details = await readDetails(new LocalFiles(), result, isVerbose);
  return details.map(({ text }) => text.trim());
}

test("a failed review has its reviewer, its violations and their file (G30)", async () => {
  const jsonPath = join(await tempDir(), "review_src_cq_claude@1.1.json");
  const violations = Array.from({ length: 12 }, (_, i) => ({
    ...{ id: `v${i}`, file: "src/a.ts", line: i + 1, issue: `problem ${i + 1}` },
    ...{ priority: "high", status: i === 0 ? "skipped" : "new" },
  }));
  const content = { adapter: "claude", timestamp: "", status: "fail", rawOutput: "", violations };
  await writeFile(jsonPath, JSON.stringify(content));
  const slot = { slot: 1, reviewer: "claude", durationMs: 1, jsonPath } as const;
  const review = gateResult("review:src:cq", "failed", {
    slots: [
      { ...slot, outcome: "failed", message: "11 violations" },
      { ...slot, slot: 2, outcome: "passed" },
    ],
  });
  expect(await textOf(review)).toEqual([
    "claude@1: 11 violations",
    ...Array.from({ length: 10 }, (_, i) => `src/a.ts:${i + 2} high: problem ${i + 2}`),
    "1 more",
    `Review: ${jsonPath}`,
  ]);
  expect(await textOf(review, true)).toContain("src/a.ts:12 high: problem 12");
});
