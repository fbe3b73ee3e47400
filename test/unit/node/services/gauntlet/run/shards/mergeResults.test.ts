import { describe, expect, test } from "vitest";
import type { GateOutcome, GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/runResult";
import {
  GAUNTLET_STATUSES,
  isSuccessStatus,
  type GauntletStatus,
} from "@/node/services/gauntlet/domain/runStatus";
import {
  mergeResults,
  type PartInput,
  parseShardResult,
  type ShardResult,
} from "@/node/services/gauntlet/run/shards/mergeResults";
import { shardOfJob } from "@/node/services/gauntlet/run/shards/assignShards";

/** Jobs of a run, divided between two shards by default. */
const JOBS = ["check:.:a", "check:.:b", "check:.:c", "check:.:d", "check:.:e", "check:.:f"];
const RUN: RunIdentity = { snapshot: "5na95407", base: "ba5e", config: "c0f19", jobs: JOBS };

function gate(jobId: string, outcome: GateOutcome = "passed"): GateResult {
  return { jobId, kind: "check", gate: "it", entryPoint: ".", outcome, durationMs: 1 };
}

interface Told extends Partial<ShardResult> {
  readonly source?: string;
  readonly jobTotal?: number;
  readonly of?: Partial<RunIdentity>;
  /** The outcome of its gates. */
  readonly outcome?: GateOutcome;
}

function part(job: number, told: Told = {}): PartInput {
  const { source = `part${job}.json`, jobTotal = 2, of = {}, outcome, ...more } = told;
  const shared = { ...RUN, ...of };
  const own = shared.jobs.filter((id) => shardOfJob(id, jobTotal) === job);
  const result: ShardResult = {
    status: outcome === "failed" ? "failed" : "passed",
    message: "",
    gates: own.map((id) => gate(id, outcome)),
    fixed: [],
    skipped: [],
    warnings: [],
    shard: { job, jobTotal, of: shared },
    ...more,
  };
  return { source, result };
}

/** Returns the first shard, and another one. */
function beside(told?: Told, job = 1): PartInput[] {
  return [part(0), part(job, told)];
}

/** Returns the result of a shard without a job, or of one that ended before it compared files. */
function early(job: number, status: GauntletStatus, errorMessage = `why ${status}`): PartInput {
  const of = isSuccessStatus(status) ? { of: { ...RUN, jobs: [] } } : {};
  return part(job, { status, errorMessage, gates: [], shard: { job, jobTotal: 2, ...of } });
}

test("returns the gates of all shards in the order of a single run (G2)", () => {
  const merged = mergeResults([part(1, { outcome: "failed" }), part(0)]);
  expect(merged.gates.map(({ jobId }) => jobId)).toEqual(JOBS);
  const failed = JOBS.filter((id) => shardOfJob(id, 2) === 1);
  expect(merged).toMatchObject({ status: "failed", gatesRun: 6, gatesFailed: failed.length });
  expect(merged.message).toBe(`${failed.length} of 6 gates failed: ${failed.join(", ")}`);
});

test("returns other facts of the shards without duplicates (G2)", () => {
  const merged = mergeResults([
    part(0, { warnings: ["same", "one"], fixed: ["check:.:a"], caveat: "a" }),
    part(1, { warnings: ["same"], caveat: "b", skipped: [{ issue: "a:1", reason: "b" }] }),
  ]);
  expect(merged).toMatchObject({
    warnings: ["same", "one"],
    fixed: ["check:.:a"],
    caveat: "a; b",
    skipped: [{ issue: "a:1", reason: "b" }],
  });
  expect(merged).not.toHaveProperty("shard");
});

describe("the status is the worst one (G3):", () => {
  const order: GauntletStatus[] = (
    "failed error infrastructure_error retry_limit_exceeded lock_exists no_config invalid_input " +
    "stop_hook_active stop_hook_disabled interval_not_elapsed postponed passed_with_warnings passed " +
    "no_applicable_gates no_changes"
  ).split(" ") as GauntletStatus[];

  test("every status has a rank", () => {
    expect(order.toSorted()).toEqual(GAUNTLET_STATUSES.toSorted());
  });

  test.each(order.slice(0, -1).map((worse, i) => [worse, order[i + 1]!] as const))(
    "%s outranks %s",
    (worse, better) => {
      const [a, b] = [early(0, worse), early(1, better)];
      expect(mergeResults([a, b]).status).toBe(worse);
      expect(mergeResults([b, a]).status).toBe(worse);
    }
  );

  test("reports why there is no verdict, with its source", () => {
    const merged = mergeResults([part(0), early(1, "infrastructure_error", "git is missing")]);
    expect(merged.errorMessage).toBe("part1.json: git is missing");
    expect(merged.message).toContain("; the changes were not verified");
    const failed = part(0, { outcome: "failed", caveat: "a" });
    const caveat = "a; part1.json: git is missing";
    expect(mergeResults([failed, early(1, "error", "git is missing")])).toMatchObject({ caveat });
  });
});

describe("rejects results that are not all shards of one run, once each:", () => {
  const broken = JSON.stringify({ status: "passed" });
  const blank: Told = { shard: { job: 1, jobTotal: 2 } };
  const lie: Told = { outcome: "failed", status: "passed" };
  test.each<[string, PartInput[], string]>([
    ["no result", [], "there is no result to merge"],
    ["a missing shard", [part(1)], "shard 0 of 2 (numbered from 0) is missing"],
    ["a shard twice", [...beside(), part(1, { source: "x" })], "x and part1.json are both shard 1"],
    [
      "another total",
      beside({ jobTotal: 3 }, 2),
      "part2.json is shard 2 of 3 (numbered from 0), but",
    ],
    ["other files", beside({ of: { snapshot: "x" } }), "part1.json checked different files from"],
    ["another base", beside({ of: { base: "x" } }), "part1.json used a different base from"],
    ["another configuration", beside({ of: { config: "x" } }), "a different configuration from"],
    ["other jobs", beside({ of: { jobs: [] } }), "part1.json selected different jobs from"],
    ["another shard's job", beside({ gates: part0Gates() }), "which does not belong to shard 1"],
    ["a missing job", beside({ gates: [] }), "part1.json has no result for check:.:"],
    ["a pass without a run", beside(blank), "part1.json does not state to which run it belongs"],
    ["a pass with failed gates", beside(lie), "has the status passed, but contains failed gates"],
    ["invalid JSON", [...beside(), read("x", "{")], "x is not JSON ("],
    ["an empty file", [...beside(), read("x", " \n")], "x is empty"],
    [
      "another format",
      [...beside(), read("x", broken)],
      'x is not a result of "mux-stop-hooks run',
    ],
  ])("%s", (_, inputs, message) => {
    const merged = mergeResults(inputs);
    expect(merged.status).toBe("error");
    expect(merged.errorMessage).toContain(message);
  });

  test("reports all problems, and the gates of the shards as well", () => {
    const merged = mergeResults([part(1, { outcome: "failed" }), read("x", "no")]);
    expect(merged.errorMessage?.split("\n")).toEqual([
      "the results cannot be merged: 2 problems",
      expect.stringContaining("  x is not JSON ("),
      "  shard 0 of 2 (numbered from 0) is missing",
    ]);
    expect(merged.gatesFailed).toBeGreaterThan(0);
  });

  test("accepts a shard without a job, whether its result is missing or given", () => {
    const jobTotal = 50;
    const needed = [...new Set(JOBS.map((id) => shardOfJob(id, jobTotal)))];
    const parts = needed.map((job) => part(job, { jobTotal }));
    expect(mergeResults(parts).status).toBe("passed");
    const idle = Array.from({ length: jobTotal }, (_, job) => job).find(
      (n) => !needed.includes(n)
    )!;
    const extra = part(idle, { jobTotal, status: "no_applicable_gates" });
    expect(mergeResults([extra, ...parts]).status).toBe("passed");
    expect(mergeResults(parts.slice(1)).status).toBe("error");
  });
});

describe("parseShardResult", () => {
  const valid = (): string => {
    const input = part(0, { caveat: "not all of it" });
    return JSON.stringify("result" in input ? input.result : {});
  };
  const changed = (change: object): string => JSON.stringify({ ...JSON.parse(valid()), ...change });

  test("returns a result that a shard has printed", () => {
    expect(parseShardResult(valid())._unsafeUnwrap()).toEqual(JSON.parse(valid()));
  });

  test.each([
    ["null", "null", 'is not a result of "mux-stop-hooks run --json"'],
    ["a list", "[]", 'is not a result of "mux-stop-hooks run --json"'],
    ["an unknown status", changed({ status: "great" }), "(invalid: status)"],
    ["an invalid gate", changed({ gates: [null] }), "(invalid: gates.0)"],
    ["an impossible shard", changed({ shard: { job: 2, jobTotal: 2 } }), "(invalid: shard)"],
    ["too many shards", changed({ shard: { job: 0, jobTotal: 1e9 } }), "(invalid: shard.jobTotal)"],
    [
      "no shard",
      changed({ shard: undefined }),
      "is not the result of a shard (passed: ); to get one,",
    ],
    ["a long text that is not JSON", `"${"x".repeat(100_000)}`, "is not JSON"],
    ["deep nesting", "[".repeat(200_000), "is not JSON"],
    ["a deep gate", valid().replace('"gate":"it"', `"gate":"it","x":${deep(100_000)}`), "too deep"],
  ])("rejects %s", (_, text, why) => {
    const said = parseShardResult(text)._unsafeUnwrapErr();
    expect(said).toContain(why);
    expect(said.length).toBeLessThan(400);
    expect(said).not.toContain("\n");
  });
});

function deep(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function part0Gates(): GateResult[] {
  return JOBS.filter((id) => shardOfJob(id, 2) === 0).map((id) => gate(id));
}

function read(source: string, text: string): PartInput {
  return parseShardResult(text).match<PartInput>(
    (result) => ({ source, result }),
    (problem) => ({ source, problem })
  );
}
