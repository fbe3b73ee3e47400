import { symlinkSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { selectJobs, type SelectionRequest } from "@/node/services/gauntlet/run/plan/selectJobs";
import { checkGate, openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

const lint = checkGate("lint");
const links = checkGate("links");
const entryPoints: EntryPoint[] = [
  { path: "src", exclude: [], gates: [lint] },
  { path: "docs", exclude: [], gates: [links] },
];
const config = { globalDependencies: [] };
const FILES = { "src/a.ts": "1", "docs/a.md": "1" };

async function snapshotOf(project: GitProject): Promise<string> {
  const context = await openMain(project);
  return (await takeSnapshot(project.runtime, context))._unsafeUnwrap().id;
}

async function select(project: GitProject, more: Partial<SelectionRequest> = {}) {
  const selected = await selectJobs({
    runtime: project.runtime,
    context: await openMain(project),
    entryPoints,
    snapshot: await snapshotOf(project),
    unresolved: [],
    config,
    baselines: {},
    ...more,
  });
  const selection = selected._unsafeUnwrap();
  return { ...selection, ids: selection.jobs.map(({ id }) => id) };
}

describe("selectJobs", () => {
  test("selects the gates whose entry point contains a changed file (G8)", async () => {
    const project = await GitProject.create(FILES);
    expect(await select(project)).toMatchObject({ ids: [], changed: [], hasChanges: false });
    project.write({ "src/b.ts": "1" });
    expect(await select(project)).toMatchObject({
      ...{ ids: ["check:src:lint"], changed: ["src/b.ts"], hasChanges: true },
      jobs: [{ logName: "src_lint" }],
    });
    project.write({ "other.txt": "1" });
    const { ids, hasChanges } = await select(project, { entryPoints: entryPoints.slice(1) });
    expect([ids, hasChanges]).toEqual([[], true]);
  });

  test("compares a gate with the tree on which its current definition last passed (G7a)", async () => {
    const project = await GitProject.create(FILES);
    project.write({ "src/b.ts": "1" });
    const passed = { snapshot: await snapshotOf(project), definition: definitionOf(lint) };
    const baselines = { "check:src:lint": passed };
    expect(await select(project, { baselines })).toMatchObject({ ids: [], changed: ["src/b.ts"] });
    const changed = { "check:src:lint": { ...passed, definition: definitionOf(links) } };
    expect((await select(project, { baselines: changed })).ids).toEqual(["check:src:lint"]);
    expect((await select(project, { baselines, fromBase: true })).ids).toEqual(["check:src:lint"]);
    const gone = { "check:src:lint": { ...passed, snapshot: "f".repeat(40) } };
    expect((await select(project, { baselines: gone })).ids).toEqual(["check:src:lint"]);
  });

  test("selects a file that was changed back to the base since the gate passed (G7a)", async () => {
    const project = await GitProject.create(FILES);
    project.write({ "src/a.ts": "2" });
    const snapshot = await snapshotOf(project);
    project.write({ "src/a.ts": "1" });
    const baselines = { "check:src:lint": { snapshot, definition: definitionOf(lint) } };
    expect(await select(project, { baselines })).toMatchObject({
      ...{ ids: ["check:src:lint"], changed: [], hasChanges: true },
    });
  });

  test("selects unresolved gates without changes (G19a), and none whose folder was deleted (G8)", async () => {
    const project = await GitProject.create({ "src/a.ts": "1" });
    const unresolved = ["check:src:lint", "check:docs:links"];
    expect((await select(project, { unresolved })).ids).toEqual(["check:src:lint"]);
  });

  test("runs the gates of an unchanged file in its folder (G10, G18a)", async () => {
    const project = await GitProject.create({ "app/go.mod": "1", "lock.json": "1" });
    project.write({ "lock.json": "2" });
    const more = { entryPoints: [{ path: "app/go.mod", exclude: [], gates: [lint] }] };
    const ids = ["check:app:lint"];
    expect(await select(project, { ...more, unresolved: ids })).toMatchObject({ ids });
    const config = { globalDependencies: ["*.json"] };
    expect(await select(project, { ...more, config })).toMatchObject({ ids });
  });

  test("runs the gates of a changed submodule or link in it, and those that depend on it (G8, G34)", async () => {
    const project = await GitProject.create({ "app/a.ts": "1" });
    new GitProject(project.at("lib")).begin({ "a.ts": "1" });
    symlinkSync("app", project.at("link"));
    const points = ["lib", "link"].map((path) => ({ path, exclude: [], gates: [lint] }));
    const app = { path: "app", exclude: [], gates: [links], dependsOn: ["lib"] };
    const { ids } = await select(project, { entryPoints: [...points, app] });
    expect(ids).toEqual(["check:lib:lint", "check:link:lint", "check:app:links"]);
  });

  test("selects a gate whose folder cannot be read, so that it reports why it cannot run (G8)", async () => {
    const project = await GitProject.create(FILES);
    project.write({ "src/b.ts": "1" });
    const failure = { path: "src", code: "EACCES", message: "permission denied" };
    vi.spyOn(project.runtime, "stat").mockResolvedValue([{ kind: "failed", failure }]);
    expect((await select(project)).ids).toEqual(["check:src:lint"]);
  });

  test("selects every folder of a glob if a global dependency changed, and only then lists files (G10)", async () => {
    const project = await GitProject.create({
      "lock.json": "1\n",
      "packages/a/x": "",
      "packages/b/deep/x": "",
      "packages/readme": "",
    });
    const points = [{ path: "packages/*", exclude: ["**/x"], gates: [lint] }];
    project.write({ "lock.json": "2\n" });
    expect((await select(project, { entryPoints: points })).ids).toEqual([]);
    const { ids, scopes } = await select(project, {
      ...{ entryPoints: points, config: { globalDependencies: ["*.json"] } },
    });
    expect(ids).toEqual(["check:packages/a:lint", "check:packages/b:lint"]);
    expect(scopes.get("check:packages/a:lint")?.covers("lock.json")).toBe(true);
    expect(scopes.get("check:packages/a:lint")?.covers("packages/b/y")).toBe(false);
  });
});
