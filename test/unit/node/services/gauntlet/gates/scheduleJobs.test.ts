import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { GateOutcome, GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import * as scheduling from "@/node/services/gauntlet/gates/scheduleJobs";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";

/** Jobs that end when the test ends them. */
class Rig {
  /** Events as `start NAME` or `end NAME OUTCOME`, in order. */
  readonly told: string[] = [];
  readonly #ends = new Map<string, (outcome: GateOutcome | Error) => void>();
  readonly results: Promise<GateResult[]>;

  constructor(jobs: readonly Job[], context: Partial<scheduling.JobsContext> = {}) {
    this.results = scheduling.scheduleJobs(jobs, {
      allowParallel: true,
      maxParallel: 2,
      logPath: ({ logName }) => `/logs/check${logName}.1.log`,
      emit: (event) => {
        if (event.type === "gate-start") this.told.push(`start ${event.job.gate.name}`);
        if (event.type === "notice") this.told.push(event.text);
        if (event.type === "gate-end") {
          this.told.push(`end ${event.result.gate} ${event.result.outcome}`);
        }
      },
      runJob: (job) => this.#run(job),
      ...context,
    });
  }

  get running(): string[] {
    return [...this.#ends.keys()];
  }

  async end(name: string, outcome: GateOutcome | Error = "passed"): Promise<void> {
    this.#ends.get(name)?.(outcome);
    this.#ends.delete(name);
    await nextTurn();
  }

  async #run({ id, entryPoint, gate }: Job): Promise<GateResult> {
    const outcome = await new Promise<GateOutcome>((resolve, reject) => {
      this.#ends.set(gate.name, (end) => {
        if (end instanceof Error) reject(end);
        else resolve(end);
      });
    });
    return { jobId: id, kind: gate.kind, gate: gate.name, entryPoint, outcome, durationMs: 1 };
  }
}

const parallel = (name: string): Job => checkJob("true", { name, parallel: true });
const sequential = (name: string, failFast = false): Job => checkJob("true", { name, failFast });

async function started(
  jobs: readonly Job[],
  context?: Partial<scheduling.JobsContext>
): Promise<Rig> {
  const rig = new Rig(jobs, context);
  await nextTurn();
  return rig;
}

const outcomes = async (rig: Rig): Promise<string[]> =>
  (await rig.results).map(({ gate, outcome }) => `${gate} ${outcome}`);

test("runs parallel jobs in the pool, and the others one after another beside it (G10)", async () => {
  const rig = await started([
    sequential("s1"),
    parallel("p1"),
    sequential("s2"),
    parallel("p2"),
    parallel("p3"),
  ]);
  expect(rig.running).toEqual(["s1", "p1", "p2"]);
  await rig.end("p2");
  expect(rig.running).toEqual(["s1", "p1", "p3"]);
  await rig.end("s1");
  expect(rig.running).toEqual(["p1", "p3", "s2"]);
  for (const name of ["p3", "p1", "s2"]) await rig.end(name);
  expect(await outcomes(rig)).toEqual(
    ["s1", "p1", "s2", "p2", "p3"].map((name) => `${name} passed`)
  );
  expect(rig.told).toEqual([
    ...["start s1", "start p1", "start p2", "end p2 passed", "start p3", "end s1 passed"],
    ...["start s2", "end p3 passed", "end p1 passed", "end s2 passed"],
  ]);
});

test("runs one job at a time in order if parallel runs are not allowed (G10)", async () => {
  const rig = await started([parallel("p1"), sequential("s1"), parallel("p2")], {
    allowParallel: false,
  });
  for (const name of ["p1", "s1", "p2"]) {
    expect(rig.running).toEqual([name]);
    await rig.end(name);
  }
  expect(await outcomes(rig)).toEqual(["p1 passed", "s1 passed", "p2 passed"]);
});

test.each([0, -3, 0.5, 1.9])("treats a pool of %s as a pool of one", async (maxParallel) => {
  const rig = await started([parallel("p1"), parallel("p2")], { maxParallel });
  expect(rig.running).toEqual(["p1"]);
  await rig.end("p1");
  await rig.end("p2");
  expect(await outcomes(rig)).toEqual(["p1 passed", "p2 passed"]);
});

test.each(["failed", "error"] as const)(
  "starts no sequential job after a fail_fast check that ended as %s, but all parallel ones (G10)",
  async (outcome) => {
    const jobs = [sequential("s1", true), parallel("p1"), sequential("s2"), parallel("p2")];
    const rig = await started(jobs, { maxParallel: 1 });
    await rig.end("s1", outcome);
    expect(rig.running).toEqual(["p1"]);
    await rig.end("p1");
    await rig.end("p2");
    const ended = [`s1 ${outcome}`, "p1 passed", "s2 skipped", "p2 passed"];
    expect(await outcomes(rig)).toEqual(ended);
    expect((await rig.results)[2]).toMatchObject({
      durationMs: 0,
      message: "Not started because check:.:s1 failed (fail_fast)",
    });
    expect(rig.told).toContain("end s2 skipped");
    expect(rig.told).not.toContain("start s2");
  }
);

test.each([
  ["passed", true],
  ["cancelled", true],
  ["failed", false],
] as const)(
  "starts all jobs after one that ended as %s with fail_fast %s",
  async (outcome, failFast) => {
    const rig = await started([sequential("s1", failFast), sequential("s2")]);
    await rig.end("s1", outcome);
    expect(rig.running).toEqual(["s2"]);
    await rig.end("s2");
    expect(await outcomes(rig)).toEqual([`s1 ${outcome}`, "s2 passed"]);
  }
);

test("starts no job after an abort, and waits for running ones", async () => {
  const user = new AbortController();
  const jobs = [sequential("s1", true), sequential("s2"), parallel("p1"), parallel("p2")];
  const rig = await started(jobs, { maxParallel: 1, signal: user.signal });
  user.abort();
  await rig.end("p1", "cancelled");
  expect(rig.running).toEqual(["s1"]);
  // As if a git command of the gate was interrupted.
  await rig.end("s1", "error");
  expect(await outcomes(rig)).toEqual(["s1", "s2", "p1", "p2"].map((name) => `${name} cancelled`));
  expect((await rig.results)[1]).toMatchObject({ message: "Cancelled before it started" });
});

test("reports an error for a job whose runner throws, and runs the others", async () => {
  const rig = await started([sequential("s1"), sequential("s2")]);
  await rig.end("s1", new Error("no such luck"));
  await rig.end("s2");
  expect(await outcomes(rig)).toEqual(["s1 error", "s2 passed"]);
  expect((await rig.results)[0]).toMatchObject({
    jobId: "check:.:s1",
    message: "Could not be run: no such luck",
  });
});

test("reports the path of the log at the start of a job", async () => {
  const logs: string[] = [];
  await scheduling.scheduleJobs([sequential("a"), sequential("b")], {
    allowParallel: true,
    maxParallel: 1,
    logPath: ({ logName }) => `/logs/check${logName}.1.log`,
    emit: (event) => {
      if (event.type === "gate-start") logs.push(event.logPath);
    },
    runJob: () => Promise.reject(new Error("not now")),
  });
  expect(logs).toEqual(["/logs/check_a.1.log", "/logs/check_b.1.log"]);
});

test("returns no results without jobs", async () => {
  expect(await outcomes(new Rig([]))).toEqual([]);
});

function reviewJob(after?: "alongside"): Job {
  const job = parallel("cq");
  const gate = {
    ...job.gate,
    kind: "review",
    prompt: { builtin: "security" },
    numReviews: 1,
    enabled: true,
    after,
  };
  return { ...job, gate } as unknown as Job;
}

test("starts a review after the checks of its entry point passed (G41)", async () => {
  const [a, b] = [parallel("a"), parallel("b")];
  const rig = await started([a, b, reviewJob()]);
  await rig.end("a");
  expect(rig.running).toEqual(["b"]);
  await rig.end("b", "known");
  expect(rig.running).toEqual(["cq"]);
  await rig.end("cq");
  expect((await rig.results).map(({ outcome }) => outcome)).toEqual(["passed", "known", "passed"]);
});

test("starts a review alongside the checks if it is configured so (G41)", async () => {
  const rig = await started([parallel("a"), reviewJob("alongside")]);
  expect(rig.running).toEqual(["a", "cq"]);
  await rig.end("a", "failed");
  await rig.end("cq");
  expect((await rig.results).map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
});

test("skips a review if a check of its entry point did not pass (G41)", async () => {
  const rig = await started([parallel("a"), reviewJob()]);
  await rig.end("a", "failed");
  const [, review] = await rig.results;
  expect(review).toMatchObject({ outcome: "skipped" });
  expect(review?.message).toMatch(/^Not started because check:\S*a did not pass/);
});

const PASSES_AGAIN: Partial<scheduling.JobsContext> = {
  mayRetry: (_, { outcome }) => outcome === "failed",
  retry: (_, first) => Promise.resolve({ ...first, outcome: "passed" }),
};

test("starts a review after a check passed when it ran again (G36, G41)", async () => {
  const rig = await started([parallel("a"), reviewJob()], PASSES_AGAIN);
  await rig.end("a", "failed");
  expect(rig.told).toContain("check:.:a failed; it runs again after the other gates");
  expect(rig.running).toEqual(["cq"]);
  await rig.end("cq");
  expect((await rig.results).map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
});

test("starts the sequential jobs after a fail_fast check that runs again (G10, G36)", async () => {
  const rig = await started([sequential("s1", true), sequential("s2")], PASSES_AGAIN);
  await rig.end("s1", "failed");
  expect(rig.running).toEqual(["s2"]);
  await rig.end("s2");
  expect(await outcomes(rig)).toEqual(["s1 passed", "s2 passed"]);
  const once = await started([parallel("a")], { mayRetry: PASSES_AGAIN.mayRetry });
  await once.end("a", "failed");
  expect(await outcomes(once)).toEqual(["a failed"]);
  expect(once.told.at(-1)).toBe("end a failed");
});

function ran(history: CheckHistory, name: string, outcome: GateOutcome, durationMs: number): void {
  history.add(gateResult(`check:.:${name}`, outcome, { durationMs }), "tree");
}

test("failed checks start first, then the shortest, then the unknown (G41)", () => {
  const history = new CheckHistory();
  ran(history, "slow", "passed", 900);
  ran(history, "quick", "passed", 10);
  ran(history, "broken", "failed", 5_000);
  const jobs = ["new", "slow", "other", "quick", "broken"].map(parallel);
  const order = scheduling.startOrder(jobs, history).map(({ gate }) => gate.name);
  expect(order).toEqual(["broken", "quick", "slow", "new", "other"]);
});

test("gates that are not parallel keep the order of the configuration (G41)", () => {
  const history = new CheckHistory();
  ran(history, "b", "failed", 1);
  ran(history, "c", "passed", 1);
  const jobs = [sequential("a"), sequential("b"), parallel("c"), sequential("d")];
  const ordered = scheduling.startOrder(jobs, history).filter(({ gate }) => !gate.parallel);
  expect(ordered.map(({ gate }) => gate.name)).toEqual(["a", "b", "d"]);
});
