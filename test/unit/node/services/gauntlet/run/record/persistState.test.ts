import { describe, expect, test } from "vitest";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import * as runContext from "@/node/services/gauntlet/run/runContext";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { persistState, nextState } from "@/node/services/gauntlet/run/record/persistState";
import {
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { findNote, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import {
  checkGate,
  gateResult,
  gauntletConfig,
  openMain,
  reviewGate,
} from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { GateOutcome, GateResult } from "@/node/services/gauntlet/domain/gate";
import { NEW_EPISODE } from "@/node/services/gauntlet/domain/episode";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { newRuntime } from "@test/helpers/localRuntime";

const LINT = "check:.:lint";
const gate = checkGate("lint");
const stop = { session: "s1", turn: "t1", failed: 0, byLimit: false };
const jobs = [{ id: LINT, entryPoint: ".", gate, logName: "_lint" }];

const passed: runContext.EndedRun = {
  after: { attempt: 0, unresolved: [] },
  result: createResult("passed", { gates: [gateResult(LINT)] }),
  jobs,
};
const failed: runContext.EndedRun = {
  after: { attempt: 1, unresolved: [LINT] },
  result: createResult("failed", { gates: [gateResult(LINT, "failed")] }),
  jobs,
};

async function contextOf(
  project: GitProject,
  { logDir = project.at("gauntlet_logs"), ...more }: Partial<RunOptions> & { logDir?: string } = {}
): Promise<runContext.GauntletRunContext> {
  const options = { runtime: project.runtime, projectDir: project.dir, ...more };
  return {
    ...{ runtime: project.runtime, projectDir: project.dir, until: Infinity, options },
    config: gauntletConfig([gate]),
    context: await openMain(project),
    logDir,
    env: {},
    now: () => new Date(),
    signal: undefined,
    reporter: new runContext.RunReporter(options),
  };
}

async function stateOf(project: GitProject): Promise<ExecutionState | undefined> {
  return (await readState(project.runtime, project.at("gauntlet_logs"))).state;
}

function heldRefs(project: GitProject): string[] {
  const names = project.git("for-each-ref", "--format=%(objectname)", "refs/worktree");
  return names === "" ? [] : names.split("\n");
}

test("writes the state, holds the trees that it names by refs, and releases the others (G9a, G16)", async () => {
  const project = await GitProject.create();
  const tree = project.git("rev-parse", "HEAD^{tree}");
  const first = { ...passed, snapshot: tree };
  const done = await persistState(await contextOf(project), NO_STATE, first);
  expect(done._unsafeUnwrap()).toEqual(passed.result);
  expect(heldRefs(project)).toEqual([tree]);
  expect(await stateOf(project)).toMatchObject({
    status: "passed",
    working_tree_ref: tree,
    baselines: { [LINT]: { snapshot: tree } },
    passed: { snapshot: tree },
  });
  project.commit("more", { "b.txt": "b" });
  const second = project.git("rev-parse", "HEAD^{tree}");
  const state = (await stateOf(project))!;
  await persistState(await contextOf(project), state, { ...passed, snapshot: second });
  expect(heldRefs(project)).toEqual([second]);
});

test("a tree that git cannot hold is a warning, and the state is written (G16)", async () => {
  const project = await GitProject.create();
  const given = await contextOf(project);
  const done = await persistState(given, NO_STATE, { ...passed, snapshot: "f".repeat(40) });
  expect(done._unsafeUnwrap()).toEqual(passed.result);
  expect(given.reporter.warnings).toEqual([expect.stringContaining("git update-ref failed")]);
  expect(await stateOf(project)).toMatchObject({ status: "passed" });
});

test("a state that cannot be written fails a run that passed, and is a warning of one that failed (G16)", async () => {
  const project = await GitProject.create();
  // A folder cannot be created in place of a file.
  const logDir = project.at("a.txt/logs");
  const given = await contextOf(project, { logDir });
  const done = await persistState(given, NO_STATE, passed);
  expect(done._unsafeUnwrapErr().message).not.toBe("");
  expect(given.reporter.warnings).toEqual([]);
  expect((await persistState(given, NO_STATE, failed))._unsafeUnwrap()).toEqual(failed.result);
  expect(given.reporter.warnings).toHaveLength(1);
});

test("a failure is of the turn of its stop, of the turn that began last, or of none (G18a)", async () => {
  const project = await GitProject.create();
  const stampAfter = async (options: Partial<RunOptions> = {}) => {
    await persistState(await contextOf(project, options), NO_STATE, failed);
    const { session, turn } = (await stateOf(project))!.failures[LINT]!;
    return [session, turn];
  };
  expect(await stampAfter()).toEqual(["none", ""]);
  expect(await stampAfter({ stop })).toEqual(["s1", "t1"]);
  await new TurnStore(project.runtime, project.at(".git")).write("turns", "s2", { id: "t2" });
  expect(await stampAfter()).toEqual(["s2", "t2"]);
});

test("the note in git's folder is written when a gate fails, and removed when the unresolved gates pass (G24)", async () => {
  const project = await GitProject.create();
  const note = () => findNote(project.runtime, project.dir);
  await persistState(await contextOf(project, { stop }), NO_STATE, failed);
  const open = (await stateOf(project))!;
  const written = await note();
  const folders = { projectDir: project.dir, logDir: project.at("gauntlet_logs") };
  expect(written).toMatchObject({ ...folders, session: "s1", turn: "t1" });
  const unverified = { ...passed, result: createResult("infrastructure_error") };
  for (const other of [{ ...passed, after: failed.after }, unverified]) {
    await persistState(await contextOf(project), open, other);
    expect(await note()).toEqual(written);
  }
  await persistState(await contextOf(project), open, passed);
  expect(await note()).toBeUndefined();
});

const TYPES = "check:.:types";
const QUALITY = "review:.:quality";
const GONE = "check:.:gone";

const gates = {
  [LINT]: checkGate("lint"),
  [TYPES]: checkGate("types"),
  [QUALITY]: reviewGate("quality"),
};
const config = gauntletConfig(Object.values(gates));
const allJobs = Object.entries(gates).map(([id, gate]) => ({
  ...{ id, gate },
  entryPoint: ".",
  logName: gate.name,
}));

const repository: GitContext = {
  projectDir: "/project",
  root: "/project",
  prefix: "",
  gitDir: "/project/.git",
  commonDir: "/project/.git",
  branch: "work",
  head: "commit",
  headInBase: false,
  emptyTree: "empty",
  keptSnapshots: [],
  warnings: [],
};

interface Change extends Partial<Omit<runContext.EndedRun, "result">> {
  readonly context?: GitContext;
  readonly env?: NodeJS.ProcessEnv;
  readonly before?: Partial<ExecutionState>;
  readonly options?: Partial<RunOptions>;
  readonly status?: GauntletStatus;
  readonly gates?: readonly GateResult[];
}

/** Returns the state after a run in which the check `lint` passed, but for the given changes. */
function stateAfter({ before, options, status = "passed", gates, ...more }: Change = {}) {
  const { context = repository, env = {}, ...ended } = more;
  return nextState(
    {
      options: { runtime: newRuntime(), projectDir: "/project", ...options },
      ...{ config, context, env },
      now: () => new Date("2026-01-02T03:04:05Z"),
    },
    { ...NO_STATE, ...before },
    {
      ...{ after: NEW_EPISODE, jobs: allJobs, snapshot: "tree" },
      result: createResult(status, { gates: gates ?? [gateResult(LINT)] }),
      ...ended,
    },
    { session: "s1", turn: "t1" }
  );
}

test("records a pass with the tree and the definitions that it is for, and keeps unknown fields (G16)", () => {
  expect(stateAfter({ before: { cleaned: true, custom: 1 } })).toMatchObject({
    custom: 1,
    last_run_completed_at: "2026-01-02T03:04:05.000Z",
    branch: "work",
    commit: "commit",
    working_tree_ref: "tree",
    status: "passed",
    gates_run: 1,
    base_had_commit: false,
    partial: false,
    cleaned: undefined,
    attempt: 0,
    open: [],
    failures: {},
    baselines: { [LINT]: { snapshot: "tree", definition: definitionOf(gates[LINT]) } },
    passed: { snapshot: "tree", definition: config.digest },
  });
});

describe("baselines (G7a)", () => {
  const old = { snapshot: "old", definition: "old" };
  const before = {
    baselines: { [LINT]: old, [TYPES]: old, [GONE]: old },
    passed: old,
    cleaned: true,
  };

  test("move for gates that passed, and are dropped for gates that are not defined", () => {
    const results = [gateResult(LINT), gateResult(TYPES, "failed"), gateResult("check:.:new")];
    const state = stateAfter({ before, gates: results, status: "failed" });
    expect(state.baselines).toEqual({
      [LINT]: { snapshot: "tree", definition: definitionOf(gates[LINT]) },
      [TYPES]: old,
    });
    expect(state.passed).toEqual(old);
  });

  test.each<[string, Change, boolean]>([
    ["compared with another base", { options: { baseBranch: "dev" } }, true],
    ["of named gates", { options: { gates: ["lint"] } }, true],
    ["in CI", { env: { CI: "true" } }, false],
    ["that ended before it looked", { snapshot: undefined }, false],
  ])("do not move in a run %s", (_, change, partial) => {
    const state = stateAfter({ before: { ...before, working_tree_ref: "older" }, ...change });
    expect(state).toMatchObject({ ...before, partial });
    expect(state.working_tree_ref).toBe("snapshot" in change ? "older" : "tree");
  });

  test("of a review hold the tree that it looked at, and no pass of all gates is recorded (G20c)", () => {
    const results = [gateResult(LINT), gateResult(QUALITY)];
    for (const isUnstable of [false, true]) {
      const ended = { reviewSnapshot: "reviewed", isUnstable };
      const state = stateAfter({ before, gates: results, ...ended });
      const checked = { snapshot: isUnstable ? "old" : "tree" };
      const baselines = { [LINT]: checked, [QUALITY]: { snapshot: "reviewed" } };
      expect(state).toMatchObject({ baselines, passed: old, partial: isUnstable });
    }
  });

  test("a run without gates records no pass (G18)", () => {
    const state = stateAfter({ before, gates: [], status: "no_changes" });
    expect(state).toMatchObject({ passed: old, status: "no_changes", gates_run: 0 });
  });
});

test("an unresolved gate has the turn in which it failed last (G18a)", () => {
  const earlier = { session: "s0", turn: "t0", branch: "old" };
  const state = stateAfter({
    before: { failures: { [LINT]: earlier, [TYPES]: earlier, [QUALITY]: earlier } },
    after: { attempt: 2, unresolved: [LINT, TYPES, GONE] },
    gates: [gateResult(LINT, "failed"), gateResult(TYPES)],
    status: "failed",
  });
  const here = { session: "s1", turn: "t1", branch: "work" };
  expect(state).toMatchObject({ attempt: 2, open: [LINT, TYPES, GONE] });
  expect(state.failures).toMatchObject({ [LINT]: here, [TYPES]: earlier, [GONE]: here });
});

test.each<[string, Change, object | undefined]>([
  ["", {}, { snapshot: "tree" }],
  [", but not if the reviews saw another one", { reviewSnapshot: "reviewed" }, undefined],
  [
    ", but not with a flaky check",
    { gates: [gateResult(LINT, "known"), gateResult(TYPES, "passed", { flaky: true })] },
    undefined,
  ],
])("records the tree of a stop with known failures%s (G20c, G36, G45)", (_, change, known) => {
  const state = stateAfter({ options: { stop }, gates: [gateResult(LINT, "known")], ...change });
  expect(state).toMatchObject({ known });
});

test.each<[GateOutcome, string, object]>([
  ["skipped", "t1", { fresh: ["new"], ran: 2, skipped: 1, once: true }],
  ["error", "t1", { fresh: ["new"], ran: 2, skipped: 1, once: true }],
  ["error", "t0", { fresh: undefined, ran: undefined, skipped: undefined, once: undefined }],
])("after a run that is %s, new failures of turn %s in turn t1 (G45)", (outcome, turn, kept) => {
  const parts = { fresh: ["new"], ran: 2, skipped: 1, once: true };
  const state = stateAfter({
    before: { failures: { [LINT]: { session: "s1", turn, branch: "work", ...parts } } },
    ...{ after: { attempt: 2, unresolved: [LINT] }, gates: [gateResult(LINT, outcome)] },
  });
  expect(state.failures[LINT]).toMatchObject(kept);
});

describe("reviews (G14)", () => {
  const slots = { 1: { reviewer: "codex", outcome: "failed" as const, violations: [], fixed: [] } };
  const all = { [QUALITY]: slots, "review:.:gone": slots, "review:.:open": slots };
  const reviews = { reviews: all, cooldown: {} };

  const after = { attempt: 1, unresolved: ["review:.:open"] };
  const kept = { [QUALITY]: slots, "review:.:open": slots };
  const partial = { gates: ["lint"] };

  test.each<[string, Change, object]>([
    ["are forgotten at the end of an episode", {}, {}],
    ["stay for gates that are defined or unresolved if a gate is unresolved", { after }, kept],
    ["stay for the same gates if the run is partial", { after, options: partial }, kept],
    ["stay after a partial run", { options: { kind: "check" } }, { [QUALITY]: slots }],
  ])("%s", (_, change, left) => {
    expect(stateAfter({ reviews, ...change }).reviews).toEqual(left);
  });
});

test.each<[string, Change, readonly string[] | undefined]>([
  ["all gates", {}, undefined],
  ["one gate", { options: { gates: ["lint"] } }, ["commit"]],
])("a pass of all gates ends the record of a refused push: %s (G51)", (_, change, refused) => {
  const state = stateAfter({ before: { refused_push: ["commit"] }, ...change });
  expect(state.refused_push).toEqual(refused);
});

describe("the record of what the user was shown", () => {
  const seen = { [LINT]: "old command" };

  test.each<[string, Change, Record<string, string> | undefined]>([
    ["a stop", { options: { stop }, before: { definitions: seen } }, undefined],
    ["a run by hand that finds none", {}, undefined],
    ["a run by hand that finds some", { before: { definitions: seen } }, seen],
  ])("after %s has the last stop's definitions, or the current ones (G20d)", (_, change, kept) => {
    const now = expect.objectContaining({ [LINT]: "true", [TYPES]: "true" }) as unknown;
    expect(stateAfter(change).definitions).toEqual(kept ?? now);
  });

  test.each<[string, Change, boolean]>([
    ["a first run by hand", { context: { ...repository, isFirstLook: true } }, true],
    ["a later run by hand", { before: { start_untold: true } }, true],
    ["a run by hand with a known start", {}, false],
    ["a stop", { options: { stop }, before: { start_untold: true } }, false],
  ])("after %s records whether the starting commit is unreported (G20b)", (_, change, is) => {
    expect(stateAfter(change).start_untold).toBe(is);
  });
});

test.each<[string, Change, boolean]>([
  ["HEAD is in the base", { context: { ...repository, headInBase: true } }, true],
  ["HEAD is not in the base", {}, false],
  ["the base was given on the command line", { options: { baseBranch: "dev" } }, true],
])("records whether the base had the commit if %s (G18)", (_, change, had) => {
  expect(stateAfter(change).base_had_commit).toBe(had);
});
