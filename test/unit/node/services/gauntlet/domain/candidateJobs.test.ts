import { expect, test } from "vitest";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import { planCandidates } from "@/node/services/gauntlet/domain/candidateJobs";
import { checkGate } from "@test/helpers/gauntlet/runParts";

const entry = (path: string, gates: string[], exclude: string[] = []): EntryPoint => ({
  path,
  exclude,
  gates: gates.map((name) => checkGate(name)),
});

/** Returns the IDs of the jobs for these changes. */
function jobs(entryPoints: EntryPoint[], changed: string[], open: string[] = []): string[] {
  return planCandidates(entryPoints, changed, open)
    .filter(({ job, covers }) => open.includes(job.id) || changed.some(covers))
    .map(({ job }) => job.id);
}

test("plans a gate if a file of its entry point changed (G10)", () => {
  const points = [entry(".", ["types"]), entry("src", ["lint"]), entry("docs", ["links"])];
  expect(jobs(points, ["src/a.ts"])).toEqual(["check:.:types", "check:src:lint"]);
  expect(jobs(points, ["srcs/a.ts"])).toEqual(["check:.:types"]);
  expect(jobs(points, [])).toEqual([]);
});

test("plans one job for each changed folder of a glob of folders (G10)", () => {
  const points = [entry("packages/*", ["test"])];
  const changed = ["packages/b/src/x.ts", "packages/a/y.ts", "packages/a/z.ts", "packages/file.md"];
  expect(jobs(points, changed)).toEqual(["check:packages/a:test", "check:packages/b:test"]);
});

test("plans one job in the leading folder of a glob of files", () => {
  const points = [entry("src/**/*.ts", ["lint"])];
  expect(jobs(points, ["src/deep/a.ts"])).toEqual(["check:src:lint"]);
  expect(jobs(points, ["src/deep/a.md"])).toEqual([]);
});

test("plans no job for excluded files, relative to the root or to the entry point", () => {
  const points = [entry("src", ["lint"], ["src/gen/**", "**/*.snap"])];
  expect(jobs(points, ["src/gen/a.ts", "src/x/a.snap"])).toEqual([]);
  expect(jobs(points, ["src/gen/a.ts", "src/a.ts"])).toEqual(["check:src:lint"]);
});

test("plans one job for two entry points with the same folder and gate (G10)", () => {
  const points = [entry("packages/*", ["test"]), entry("packages/a", ["test"])];
  expect(jobs(points, ["packages/a/x"])).toEqual(["check:packages/a:test"]);
});

test("plans an unresolved job although no file of its folder changed (G19a)", () => {
  const points = [entry("packages/*", ["test"]), entry("src", ["lint"])];
  expect(jobs(points, [], ["check:packages/a:test"])).toEqual(["check:packages/a:test"]);
});

test.each(["./src", "src/", "./src/"])("treats %s as src", (path) => {
  expect(jobs([entry(path, ["lint"])], ["src/a"])).toEqual(["check:src:lint"]);
});

test.each(["", ".", "./"])("treats %j as the whole project", (path) => {
  expect(jobs([entry(path, ["lint"])], ["a"])).toEqual(["check:.:lint"]);
});

test("runs the gates of a plain file in its folder", () => {
  const points = [entry("package.json", ["audit"]), entry("app/go.mod", ["tidy"])];
  expect(jobs(points, ["package.json"])).toEqual(["check:.:audit"]);
  expect(jobs(points, ["app/go.mod", "app/x.go"])).toEqual(["check:app:tidy"]);
  expect(jobs(points, ["app/x.go"])).toEqual([]);
});
