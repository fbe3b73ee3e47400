import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import * as plan from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
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
    ["is still defined, and trusted", { failures, stop, isTrusted: true }, "blocking"],
  ] as const)("a gate that %s", (_, { failures, ...options }, part) => {
    const defined = [checkGate("lint")];
    expect(plan.splitUnresolved([LINT], { failures }, options, defined)).toEqual(split(part));
  });

  test("a gate that a configuration no longer defines is closed only if a person trusted it", () => {
    const defined = [checkGate("types")];
    const closed = (isTrusted: boolean) =>
      plan.splitUnresolved([LINT], { failures }, { stop, isTrusted }, defined);
    expect(closed(true)).toEqual(split("closed"));
    expect(closed(false)).toEqual(split("blocking"));
  });
});

describe("with the logs of earlier runs", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await tempDir();
  });

  const A = "check:.:a";
  const B = "check:.:b";

  /** Writes the log of a gate in a run. */
  async function log(name: string): Promise<string> {
    const path = join(dir, name);
    await writeFile(path, "log");
    return path;
  }

  async function report(run: number | string, content: unknown): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(dir, `report.${run}.json`), text);
  }

  /** Returns the logs that were found, by gate. */
  async function find(...ids: string[]): Promise<Record<string, string>> {
    const gates = await plan.withLogs(files, dir, ids);
    return Object.fromEntries(
      gates.flatMap(({ jobId, logPath }) => (logPath === undefined ? [] : [[jobId, logPath]]))
    );
  }

  test("finds the log of the last run that each gate was in, by the number of the run, if it exists", async () => {
    const [a2, a10, b2] = [await log("a.2.log"), await log("a.10.log"), await log("b.2.log")];
    await report(2, {
      gates: [
        { jobId: A, logPath: a2 },
        { jobId: B, logPath: b2 },
      ],
    });
    await report(10, { gates: [{ jobId: A, logPath: a10 }] });
    expect(await find(A, B)).toEqual({ [A]: a10, [B]: b2 });
    expect(await find(B)).toEqual({ [B]: b2 });
    expect(await find()).toEqual({});
    await report(11, { gates: [{ jobId: A, logPath: join(dir, "gone.log") }, { jobId: B }] });
    expect(await find(A, B)).toEqual({ [B]: b2 });
  });

  test.each<[string, unknown]>([
    ["not JSON", "{"],
    ["not an object", "[]"],
    ["without gates", {}],
    ["with gates that are not a list", { gates: { jobId: A, logPath: "/x" } }],
    ["with gates of other types", { gates: [null, 1, { jobId: 1, logPath: "/x" }, { jobId: A }] }],
  ])("continues with an earlier report if one is %s", async (_, content) => {
    const path = await log("a.1.log");
    await report(1, { gates: [{ jobId: A, logPath: path }] });
    await report(2, content);
    expect(await find(A)).toEqual({ [A]: path });
  });

  test("reads only files with the name of a report, and the latest 50 of them", async () => {
    const gates = [{ jobId: A, logPath: await log("a.1.log") }];
    await report("01", { gates });
    await report("latest", { gates });
    expect(await find(A)).toEqual({});
    await report(1, { gates });
    for (let run = 2; run <= 50; run++) await report(run, {});
    expect(Object.keys(await find(A))).toEqual([A]);
    await report(51, {});
    expect(await find(A)).toEqual({});
  });

  test("goneGates returns a failed gate with its last log for each ID (G18a)", async () => {
    const logPath = await log("check_src_lint.1.log");
    await report(1, { gates: [{ jobId: LINT, logPath }] });
    const message = expect.stringMatching(/^was failing and no longer applies; /) as string;
    const failed = { outcome: "failed", durationMs: 0, message };
    expect(await plan.goneGates(files, dir, [LINT, "review:packages/a:b:quality", "odd"])).toEqual([
      { ...failed, jobId: LINT, kind: "check", gate: "lint", entryPoint: "src", logPath },
      {
        ...failed,
        ...{ jobId: "review:packages/a:b:quality", kind: "review", gate: "quality" },
        entryPoint: "packages/a:b",
      },
      { ...failed, jobId: "odd", kind: "check", gate: "odd", entryPoint: "." },
    ]);
    expect(await plan.goneGates(files, dir, [])).toEqual([]);
  });
});

test.each([
  ["", {}],
  ["", { [LINT]: { session: "s", turn: "t" } }],
  [" on branch work", { [LINT]: { session: "s", turn: "t", branch: "work" } }],
])("describeDormant names the branch if it is known:%s (G18a)", (where, failures) => {
  expect(plan.describeDormant(LINT, { failures })).toBe(
    `${LINT} was failing${where} and no longer applies (its folder or its definition does not exist here), so it was not run; to discard this failure, run "mux-stop-hooks clean"`
  );
});
