import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import {
  describeDormant,
  goneGates,
  splitUnresolved,
  withLogs,
} from "@/node/services/gauntlet/run/logs/unresolvedGates";
import { checkGate } from "@test/helpers/gauntlet/runParts";
import { tempDir } from "@test/helpers/tempDir";

const LINT = "check:src:lint";
const files = new LocalFiles();

describe("splitUnresolved (G18a)", () => {
  const stop = { session: "s1", turn: "t1", failed: 0, byLimit: false };
  const failures = { [LINT]: { session: "s1", turn: "t1" } };
  const elsewhere = { [LINT]: { session: "s2", turn: "t1" } };
  const earlier = { [LINT]: { session: "s1", turn: "t0" } };
  const split = (part: "blocking" | "dormant" | "closed") => ({
    ...{ blocking: [], dormant: [], closed: [] },
    [part]: [LINT],
  });

  test.each([
    ["failed in this turn", { failures, stop }, "blocking"],
    ["failed in an earlier turn", { failures: earlier, stop }, "dormant"],
    ["failed in another session", { failures: elsewhere, stop }, "dormant"],
    ["failed in a turn that is not known", { failures: {}, stop }, "dormant"],
    ["failed in this turn, if the run is by hand", { failures }, "dormant"],
    [
      "is still defined by a trusted configuration",
      { failures, stop, isTrusted: true },
      "blocking",
    ],
  ] as const)("a gate that %s", (_, { failures, ...options }, part) => {
    const defined = [checkGate("lint")];
    expect(splitUnresolved([LINT], { failures }, options, defined)).toEqual(split(part));
  });

  test("a gate that a configuration no longer defines is closed only if a person trusted it", () => {
    const defined = [checkGate("types")];
    const closed = (isTrusted: boolean) =>
      splitUnresolved([LINT], { failures }, { stop, isTrusted }, defined);
    expect(closed(true)).toEqual(split("closed"));
    expect(closed(false)).toEqual(split("blocking"));
  });
});

describe("with the logs of earlier runs", () => {
  let dir: string;
  let logPath: string;
  beforeEach(async () => {
    dir = await tempDir();
    logPath = join(dir, "check_src_lint.1.log");
    await writeFile(logPath, "no");
    const report = { gates: [{ jobId: LINT, logPath }] };
    await writeFile(join(dir, "report.1.json"), JSON.stringify(report));
  });

  test("goneGates returns a failed gate with its last log for each ID (G18a)", async () => {
    const message = expect.stringMatching(/^was failing and no longer applies; /) as string;
    const failed = { outcome: "failed", durationMs: 0, message };
    expect(await goneGates(files, dir, [LINT, "review:packages/a:b:quality", "odd"])).toEqual([
      { ...failed, jobId: LINT, kind: "check", gate: "lint", entryPoint: "src", logPath },
      {
        ...failed,
        jobId: "review:packages/a:b:quality",
        kind: "review",
        gate: "quality",
        entryPoint: "packages/a:b",
      },
      { ...failed, jobId: "odd", kind: "check", gate: "odd", entryPoint: "." },
    ]);
    expect(await goneGates(files, dir, [])).toEqual([]);
  });

  test("withLogs adds the log of each gate that has one, in the given order", async () => {
    expect(await withLogs(files, `${dir}/.`, ["check:.:other", LINT])).toStrictEqual([
      { jobId: "check:.:other" },
      { jobId: LINT, logPath },
    ]);
  });
});

test.each([
  ["", {}],
  ["", { [LINT]: { session: "s", turn: "t" } }],
  [" on branch work", { [LINT]: { session: "s", turn: "t", branch: "work" } }],
])("describeDormant names the branch if it is known:%s (G18a)", (where, failures) => {
  expect(describeDormant(LINT, { failures })).toBe(
    `${LINT} was failing${where} and no longer applies (its folder or its definition does not exist here), so it was not run; to discard this failure, run "mux-stop-hooks clean"`
  );
});
