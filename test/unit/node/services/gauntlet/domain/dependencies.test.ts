import { describe, expect, test } from "vitest";
import * as candidateJobs from "@/node/services/gauntlet/domain/candidateJobs";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import { checkGate } from "@test/helpers/gauntlet/runParts";

const NO_PACKAGES: candidateJobs.PackageGraph = new Map();

const entry = (path: string, dependsOn?: readonly string[]): EntryPoint => ({
  path,
  exclude: ["**/*.md"],
  gates: [checkGate("t")],
  ...(dependsOn === undefined ? {} : { dependsOn }),
});

/** Returns the folders of the jobs for these changes, and the files that their commands may get. */
function due(
  points: readonly EntryPoint[],
  changed: readonly string[],
  packages = NO_PACKAGES,
  folders: readonly string[] = [...packages.keys()]
): Record<string, string[]> {
  const dependencies = new candidateJobs.Dependencies(points, changed, folders, packages);
  const candidates = candidateJobs.planCandidates(points, changed, [], undefined, dependencies);
  return Object.fromEntries(
    candidates
      .filter(({ covers }) => changed.some(covers))
      .map(({ job, owns }) => [job.entryPoint, changed.filter(owns)])
  );
}

describe("dependencies between entry points (G34)", () => {
  test("a change is one of every entry point that depends on it, through several steps, also in a circle", () => {
    const points = [entry("app/", ["api"]), entry("api", ["./lib"]), entry("lib"), entry("docs")];
    expect(due(points, ["lib/a.ts"])).toEqual({ app: [], api: [], lib: ["lib/a.ts"] });
    expect(due(points, ["app/a.ts"])).toEqual({ app: ["app/a.ts"] });
    expect(due(points, ["lib/a.md"])).toEqual({});
    const circle = [entry("a", ["b"]), entry("b", ["a"])];
    expect(due(circle, ["a/x"])).toEqual({ a: ["a/x"], b: [] });
  });

  test("a glob that depends on an entry point has a job for each of its folders", () => {
    const points = [entry("packages/*", ["lib"]), entry("lib")];
    const folders = ["packages", "packages/a", "packages/b", "lib"];
    expect(due(points, ["lib/x"], NO_PACKAGES, folders)).toEqual({
      "packages/a": [],
      "packages/b": [],
      lib: ["lib/x"],
    });
  });

  test("packages depend on each other as they state, unless `depends_on` is given", () => {
    const packages = new Map([
      ["packages/a", []],
      ["packages/b", ["packages/a"]],
      ["tools/c", ["packages/b"]],
      ["other/d", ["packages/a"]],
    ]);
    const points = [entry("packages/*"), entry("tools/c"), entry("other/*", [])];
    expect(due(points, ["packages/a/x"], packages)).toEqual({
      "packages/a": ["packages/a/x"],
      "packages/b": [],
      "tools/c": [],
    });
    expect(due(points, ["tools/c/x"], packages)).toEqual({ "tools/c": ["tools/c/x"] });
  });
});
