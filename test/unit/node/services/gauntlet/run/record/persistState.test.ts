import { describe, expect, test } from "vitest";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import {
  RunReporter,
  type EndedRun,
  type GauntletRunContext,
} from "@/node/services/gauntlet/run/runContext";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { persistState } from "@/node/services/gauntlet/run/record/persistState";
import {
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { findNote, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { checkGate, gateResult, gauntletConfig, openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

const LINT = "check:.:lint";
const gate = checkGate("lint");
const jobs = [{ id: LINT, entryPoint: ".", gate, logName: "_lint" }];

const passed: EndedRun = {
  after: { attempt: 0, unresolved: [] },
  result: createResult("passed", { gates: [gateResult(LINT)] }),
  jobs,
};
const failed: EndedRun = {
  after: { attempt: 1, unresolved: [LINT] },
  result: createResult("failed", { gates: [gateResult(LINT, "failed")] }),
  jobs,
};

async function contextOf(
  project: GitProject,
  { logDir = project.at("gauntlet_logs"), ...more }: Partial<RunOptions> & { logDir?: string } = {}
): Promise<GauntletRunContext> {
  const options = { runtime: project.runtime, projectDir: project.dir, ...more };
  return {
    ...{ runtime: project.runtime, projectDir: project.dir, until: Infinity, options },
    config: gauntletConfig([gate]),
    context: await openMain(project),
    logDir,
    env: {},
    now: () => new Date(),
    signal: undefined,
    reporter: new RunReporter(options),
  };
}

async function stateOf(project: GitProject): Promise<ExecutionState | undefined> {
  return (await readState(project.runtime, project.at("gauntlet_logs"))).state;
}

function heldRefs(project: GitProject): string[] {
  const names = project.git("for-each-ref", "--format=%(objectname)", "refs/worktree");
  return names === "" ? [] : names.split("\n");
}

test("writes the state, and holds the trees that it names by refs (G9a, G16)", async () => {
  const project = await GitProject.create();
  const tree = project.git("rev-parse", "HEAD^{tree}");
  const done = await persistState(await contextOf(project), NO_STATE, {
    ...passed,
    snapshot: tree,
  });
  expect(done._unsafeUnwrap()).toEqual(passed.result);
  expect(heldRefs(project)).toEqual([tree]);
  expect(await stateOf(project)).toMatchObject({
    status: "passed",
    working_tree_ref: tree,
    baselines: { [LINT]: { snapshot: tree } },
    passed: { snapshot: tree },
  });
});

test("releases trees that the next state does not name (G9a)", async () => {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD^{tree}");
  await persistState(await contextOf(project), NO_STATE, { ...passed, snapshot: first });
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

describe("a state that cannot be written (G16)", () => {
  // A folder cannot be created in place of a file.
  const unwritable = (project: GitProject) =>
    contextOf(project, { logDir: project.at("a.txt/logs") });

  test("fails a run that passed", async () => {
    const given = await unwritable(await GitProject.create());
    const done = await persistState(given, NO_STATE, passed);
    expect(done._unsafeUnwrapErr().message).not.toBe("");
    expect(given.reporter.warnings).toEqual([]);
  });

  test("is a warning of a run that failed", async () => {
    const given = await unwritable(await GitProject.create());
    const done = await persistState(given, NO_STATE, failed);
    expect(done._unsafeUnwrap()).toEqual(failed.result);
    expect(given.reporter.warnings).toHaveLength(1);
  });
});

describe("the turn of a failure (G18a)", () => {
  test.each<[string, Partial<RunOptions>, { session: string; turn: string }]>([
    ["is none in a run by hand without a turn", {}, { session: "none", turn: "" }],
    [
      "is that of a stop",
      { stop: { session: "s1", turn: "t1", failed: 0, byLimit: false } },
      { session: "s1", turn: "t1" },
    ],
  ])("%s", async (_, options, stamp) => {
    const project = await GitProject.create();
    await persistState(await contextOf(project, options), NO_STATE, failed);
    expect((await stateOf(project))?.failures[LINT]).toMatchObject(stamp);
  });

  test("is the turn that began last in a run by hand", async () => {
    const project = await GitProject.create();
    await new TurnStore(project.runtime, project.at(".git")).write("turns", "s2", { id: "t2" });
    await persistState(await contextOf(project), NO_STATE, failed);
    const stamp = { session: "s2", turn: "t2" };
    expect((await stateOf(project))?.failures[LINT]).toMatchObject(stamp);
  });
});

describe("the note in git's folder (G24)", () => {
  const note = (project: GitProject) => findNote(project.runtime, project.dir);

  test("is written when a gate fails, and removed when the unresolved gates pass", async () => {
    const project = await GitProject.create();
    const stop = { session: "s1", turn: "t1", failed: 0, byLimit: false };
    await persistState(await contextOf(project, { stop }), NO_STATE, failed);
    expect(await note(project)).toMatchObject({
      projectDir: project.dir,
      logDir: project.at("gauntlet_logs"),
      session: "s1",
      turn: "t1",
    });
    await persistState(await contextOf(project), (await stateOf(project))!, passed);
    expect(await note(project)).toBeUndefined();
  });

  test("stays after a pass of other gates, and after a run that verified nothing", async () => {
    const project = await GitProject.create();
    await persistState(await contextOf(project), NO_STATE, failed);
    const open = (await stateOf(project))!;
    const written = await note(project);
    expect(written).toMatchObject({ projectDir: project.dir, logDir: project.at("gauntlet_logs") });
    await persistState(await contextOf(project), open, { ...passed, after: failed.after });
    expect(await note(project)).toEqual(written);
    const result = createResult("infrastructure_error");
    await persistState(await contextOf(project), open, { ...passed, result });
    expect(await note(project)).toEqual(written);
  });
});
