/** The packages of a workspace as dependencies between entry points (G34). */
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { previewJobs, planJobs } from "@/node/services/gauntlet/run/plan/previewJobs";
import { describe, expect, test, vi } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { packageGraph } from "@/node/services/gauntlet/run/plan/packageGraph";
import { GitProject } from "@test/helpers/gitProject";
import { newRuntime } from "@test/helpers/localRuntime";
import { tempDir } from "@test/helpers/tempDir";
import { describeHere } from "@test/helpers/remote/testRuntime";

const CHECKS = 'checks: [{ t: { command: "true" } }, { f: { command: "echo {files}" } }]';
const outcomes = ({ gates }: RunResult) => gates.map(({ jobId, outcome }) => `${jobId} ${outcome}`);

const WORKSPACES = { workspaces: ["packages/*"] };
const PNPM = "packages: ['packages/*']\n";
const PACKAGES = {
  "packages/a/package.json": { name: "@x/a", version: "1.0.0" },
  "packages/b/package.json": { name: "b", devDependencies: { "@x/a": "*" } },
  "packages/c/package.json": { name: "c", dependencies: { b: "1", react: "19" } },
  "packages/d/package.json": { name: "d" },
};

/** Returns the files of the workspace, with these ones. */
function textsOf(files: Record<string, unknown>): Record<string, string> {
  const all = Object.entries({ ...PACKAGES, ...files });
  return Object.fromEntries(
    all.map(([path, value]) => [path, typeof value === "string" ? value : JSON.stringify(value)])
  );
}

async function workspace(files: Record<string, unknown>): Promise<GauntletProject> {
  const project = await GauntletProject.create(
    `entry_points:\n  - path: packages/*\n    ${CHECKS}\n`
  );
  for (const [path, text] of Object.entries(textsOf(files))) await project.write(path, text);
  await project.commit("packages");
  await project.shell("git branch -f main work");
  return project;
}

const AFTER_A = [
  "check:packages/a:t passed",
  "check:packages/a:f passed",
  "check:packages/b:t passed",
  "check:packages/b:f no_files",
  "check:packages/c:t passed",
  "check:packages/c:f no_files",
];

describeHere("a workspace", () => {
  test("runs the gates of the packages that depend on a change", async () => {
    const project = await workspace({ "package.json": WORKSPACES, "package-lock.json": {} });
    await project.write("packages/a/index.js", "1");
    const run = await project.run();
    expect(run.warnings).toEqual([]);
    expect(outcomes(run)).toEqual(AFTER_A);
    // After the pass, a change of `b` does not concern `a`.
    await project.write("packages/b/index.js", "1");
    const ids = (await project.run()).gates.map(({ entryPoint }) => entryPoint);
    expect([...new Set(ids)]).toEqual(["packages/b", "packages/c"]);
  });

  test.each([
    ["yarn", { "package.json": WORKSPACES, "yarn.lock": "" }],
    ["pnpm", { "package.json": {}, "pnpm-workspace.yaml": PNPM, "pnpm-lock.yaml": "" }],
  ])("may be one of %s", async (_, files) => {
    const dir = await tempDir();
    new GitProject(dir).write(textsOf(files));
    const points = [{ path: "packages/*", exclude: [], gates: [] }];
    const given = [{ projectDir: dir }, points, { from: "HEAD", changed: [] }] as const;
    const graph = (await packageGraph(newRuntime(), ...given))._unsafeUnwrap();
    expect(graph.get("packages/b")).toEqual(["packages/a"]);
    expect(graph.get("packages/c")).toEqual(["packages/b"]);
  });

  test.each([
    "rm -r packages/a packages/d",
    `mkdir packages/0; echo '{"name":"new"}' > packages/0/package.json; sed -i s,@x/a,@x/core, packages/a/package.json`,
  ])(
    "runs the gates of packages that still name another one, with one process: %s",
    async (command) => {
      const project = await workspace({ "package.json": WORKSPACES, "package-lock.json": {} });
      await project.shell(command);
      const exec = vi.spyOn(project.runtime, "exec");
      const ids = (await project.run()).gates.map(({ entryPoint }) => entryPoint);
      expect(ids).toContain("packages/b");
      const calls = exec.mock.calls.map(([request]) => JSON.stringify(request.command));
      expect(calls.filter((call) => /cat-file","(?!-e)/.test(call))).toHaveLength(1);
    }
  );

  test("that cannot be read is a warning, and each package stands for itself", async () => {
    const project = await workspace({ "package.json": WORKSPACES, "packages/d/package.json": "{" });
    await project.write("packages/a/index.js", "1");
    const run = await project.run();
    expect(outcomes(run)).toEqual(AFTER_A.slice(0, 2));
    expect(run.warnings.join()).toContain("dependencies between the packages");
    const { runtime, dir: projectDir } = project;
    const loaded = await loadGauntletConfig(runtime, projectDir);
    if (loaded.kind !== "valid") throw new Error(loaded.kind);
    for (const list of [previewJobs, planJobs]) {
      const listed = await list({ runtime, projectDir, env: {} }, loaded.config);
      const { warnings } = listed._unsafeUnwrap();
      expect(warnings.join()).toContain("dependencies between the packages");
    }
  });
});

describe("depends_on", () => {
  test("applies without a workspace, and keeps the dependents due until they pass", async () => {
    const config = `entry_points:
  - { path: app, depends_on: [src], checks: [{ t: { command: "test ! -e ../src/bad" } }] }
  - { path: src }
`;
    const project = await GauntletProject.create(config);
    await project.write("app/x", "1");
    await project.commit("app");
    await project.shell("git branch -f main work");
    await project.write("src/bad", "1");
    expect(outcomes(await project.run())).toEqual(["check:app:t failed"]);
    await project.remove("src/bad");
    expect(outcomes(await project.run())).toEqual(["check:app:t passed"]);
  });

  test("of an unknown entry point is an error that lists the existing ones", async () => {
    const config = `entry_points:\n  - { path: src, depends_on: [lib] }\n  - { path: libs }\n`;
    const project = await GauntletProject.create(config);
    const { status, errorMessage } = await project.run();
    expect(status).toBe("error");
    expect(errorMessage).toContain('there is no entry point "lib"; defined are: src, libs');
  });
});
