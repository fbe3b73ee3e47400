import { rmSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import * as during from "@/node/services/gauntlet/run/execute/changedDuringRun";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { gateResult, gauntletConfig, openMain, reviewGate } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

const lint = gateResult("check:.:lint");
const reviewJob = { ...checkJob("true"), id: "review:.:quality", gate: reviewGate("quality") };

const project = await GitProject.create({ "a.txt": "a\n" });
const context = await openMain(project);
const snapshot = (await takeSnapshot(project.runtime, context))._unsafeUnwrap().id;
afterEach(() => {
  for (const name of ["b.txt", "c.txt"]) rmSync(project.at(name), { force: true });
});

function firstLook(jobs: readonly Job[] = [], state: Parameters<typeof during.lookAgain>[1] = {}) {
  const first: during.CheckedTree = { gates: [lint, gateResult("check:.:test")], jobs, snapshot };
  const place = { runtime: project.runtime, context, config: gauntletConfig([]) };
  const look = (runChecks: during.RunAgain) => during.lookAgain(place, state, first, runChecks);
  return { first, look };
}

describe("lookAgain (G20c)", () => {
  test("returns the first look if the tree is the same", async () => {
    const { first, look } = firstLook();
    const runChecks = vi.fn<during.RunAgain>();
    expect(await look(runChecks)).toBe(first);
    expect(runChecks).not.toHaveBeenCalled();
  });

  test("runs the checks of the tree as it is now, and replaces their jobs and results", async () => {
    const { first, look } = firstLook([checkJob("true", { name: "lint" }), reviewJob]);
    project.write({ "b.txt": "b\n" });
    const again = { ...lint, durationMs: 7 };
    const job = checkJob("false", { name: "lint" });
    const runChecks = vi.fn<during.RunAgain>(() =>
      Promise.resolve({ gates: [again], jobs: [job] })
    );
    const looked = await look(runChecks);
    expect(runChecks.mock.calls).toEqual([[looked.snapshot, ["b.txt"]]]);
    expect(looked.snapshot).not.toBe(first.snapshot);
    expect(looked.gates).toEqual([first.gates[1], again]);
    expect(looked.jobs).toEqual([reviewJob, job]);
    expect(looked).toMatchObject({ reviewSnapshot: first.snapshot });
    expect(looked).not.toHaveProperty("unstable");
  });

  test("keeps a file as an output that a check wrote in two runs, but neither that nor a third look passes another edit", async () => {
    const job = checkJob("true", { name: "lint" });
    const written = { definition: definitionOf(job.gate), paths: ["b.txt"] };
    const { look } = firstLook([job], { written: { [job.id]: written } });
    project.write({ "b.txt": "b\n", "c.txt": "c\n" });
    const looked = await look(() => Promise.resolve({ gates: [lint], jobs: [job] }));
    expect(looked).toMatchObject({ written: { paths: ["b.txt"] }, writtenOnce: undefined });
    const edited = await look(() => {
      project.write({ "c.txt": "d\n" });
      return Promise.resolve({ gates: [], jobs: [] });
    });
    expect(edited.unstable).toEqual(["c.txt"]);
  });

  test("does not look a third time if a check failed", async () => {
    const { look } = firstLook();
    project.write({ "b.txt": "b\n" });
    const looked = await look(() => {
      project.write({ "c.txt": "c\n" });
      return Promise.resolve({ gates: [gateResult("check:.:lint", "failed")], jobs: [] });
    });
    expect(looked).not.toHaveProperty("unstable");
  });

  test("returns an unstable result if the checks of the tree are not known", async () => {
    const { first, look } = firstLook();
    project.write({ "b.txt": "b\n" });
    expect(await look(() => Promise.resolve(undefined))).toEqual({ ...first, unstable: [] });
  });

  test("treats a failed snapshot as another tree", async () => {
    const { first, look } = firstLook();
    project.git("config", "extensions.unknown", "true");
    project.git("config", "core.repositoryFormatVersion", "1");
    const runChecks = vi.fn<during.RunAgain>();
    expect(await look(runChecks)).toEqual({ ...first, unstable: [] });
    expect(runChecks).not.toHaveBeenCalled();
  });
});
