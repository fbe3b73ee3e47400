import { expect, test } from "vitest";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { planCandidates } from "@/node/services/gauntlet/domain/plan";

const check = (name: string): GateDefinition => ({
  kind: "check",
  name,
  command: "true",
  parallel: false,
  failFast: false,
  timeoutS: 300,
  env: {},
  runInCi: true,
  runLocally: true,
  source: { file: "config.yml", line: 1, column: 1 },
});

const entry = (path: string, gates: string[], exclude: string[] = []): EntryPoint => ({
  path,
  exclude,
  gates: gates.map(check),
});

/** IDs of the jobs that these changes ask for. */
function jobs(entryPoints: EntryPoint[], changed: string[], open: string[] = []): string[] {
  return planCandidates(entryPoints, changed, open)
    .filter(({ job, covers }) => open.includes(job.id) || changed.some(covers))
    .map(({ job }) => job.id);
}

test("a gate is asked where a file of its entry point changed (G10)", () => {
  const points = [entry(".", ["types"]), entry("src", ["lint"]), entry("docs", ["links"])];
  expect(jobs(points, ["src/a.ts"])).toEqual(["check:.:types", "check:src:lint"]);
  expect(jobs(points, ["srcs/a.ts"])).toEqual(["check:.:types"]);
  expect(jobs(points, [])).toEqual([]);
});

test("a glob of folders stands for each folder that changed, once (G10)", () => {
  const points = [entry("packages/*", ["test"])];
  const changed = ["packages/b/src/x.ts", "packages/a/y.ts", "packages/a/z.ts", "packages/file.md"];
  expect(jobs(points, changed)).toEqual(["check:packages/a:test", "check:packages/b:test"]);
});

test("a glob of files is one job in its leading folder (§2)", () => {
  const points = [entry("src/**/*.ts", ["lint"])];
  expect(jobs(points, ["src/deep/a.ts"])).toEqual(["check:src:lint"]);
  expect(jobs(points, ["src/deep/a.md"])).toEqual([]);
});

test("what is excluded asks for nothing, written from the root or from the entry point", () => {
  const points = [entry("src", ["lint"], ["src/gen/**", "**/*.snap"])];
  expect(jobs(points, ["src/gen/a.ts", "src/x/a.snap"])).toEqual([]);
  expect(jobs(points, ["src/gen/a.ts", "src/a.ts"])).toEqual(["check:src:lint"]);
});

test("two entry points with one folder and gate make one job (G10)", () => {
  const points = [entry("packages/*", ["test"]), entry("packages/a", ["test"])];
  expect(jobs(points, ["packages/a/x"])).toEqual(["check:packages/a:test"]);
});

test("an open job comes back although nothing of its folder changed (G19a)", () => {
  const points = [entry("packages/*", ["test"]), entry("src", ["lint"])];
  expect(jobs(points, [], ["check:packages/a:test"])).toEqual(["check:packages/a:test"]);
});

test.each(["./src", "src/", "./src/"])("%s is src", (path) => {
  expect(jobs([entry(path, ["lint"])], ["src/a"])).toEqual(["check:src:lint"]);
});

test.each(["", ".", "./"])("%j is the whole project", (path) => {
  expect(jobs([entry(path, ["lint"])], ["a"])).toEqual(["check:.:lint"]);
});

test("a plain file as an entry point is run where it lies", () => {
  const points = [entry("package.json", ["audit"]), entry("app/go.mod", ["tidy"])];
  expect(jobs(points, ["package.json"])).toEqual(["check:.:audit"]);
  expect(jobs(points, ["app/go.mod", "app/x.go"])).toEqual(["check:app:tidy"]);
  expect(jobs(points, ["app/x.go"])).toEqual([]);
});
