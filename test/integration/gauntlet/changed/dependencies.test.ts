/** The packages of a workspace as dependencies between entry points (G34). */
import { describe, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { describeHere } from "@test/helpers/remote/testRuntime";

const CHECKS = 'checks: [{ t: { command: "true" } }, { f: { command: "echo {files}" } }]';
const outcomes = ({ gates }: RunResult) => gates.map(({ jobId, outcome }) => `${jobId} ${outcome}`);

async function workspace(
  files: Record<string, unknown>,
  config = `entry_points:\n  - path: packages/*\n    ${CHECKS}\n`
): Promise<GauntletProject> {
  const project = await GauntletProject.create(config);
  const packages = {
    "packages/a/package.json": { name: "@x/a", version: "1.0.0" },
    "packages/b/package.json": { name: "b", devDependencies: { "@x/a": "*" } },
    "packages/c/package.json": { name: "c", dependencies: { b: "1", react: "19" } },
    "packages/d/package.json": { name: "d" },
  };
  for (const [path, value] of Object.entries({ ...packages, ...files })) {
    await project.write(path, typeof value === "string" ? value : JSON.stringify(value));
  }
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
  test.each([
    ["npm", { "package.json": { workspaces: ["packages/*"] }, "package-lock.json": {} }],
    ["yarn", { "package.json": { workspaces: ["packages/*"] }, "yarn.lock": "" }],
    [
      "pnpm",
      {
        "package.json": {},
        "pnpm-workspace.yaml": "packages: ['packages/*']\n",
        "pnpm-lock.yaml": "",
      },
    ],
  ])("of %s runs the gates of the packages that depend on a change", async (_, files) => {
    const project = await workspace(files);
    await project.write("packages/a/index.js", "1");
    const run = await project.run();
    expect(run.warnings).toEqual([]);
    expect(outcomes(run)).toEqual(AFTER_A);
    // After the pass, a change of `b` does not concern `a`.
    await project.write("packages/b/index.js", "1");
    const ids = (await project.run()).gates.map(({ entryPoint }) => entryPoint);
    expect([...new Set(ids)]).toEqual(["packages/b", "packages/c"]);
  });

  test("that cannot be read is a warning, and each package stands for itself", async () => {
    const project = await workspace({
      "package.json": { workspaces: ["packages/*"] },
      "packages/d/package.json": "{",
    });
    await project.write("packages/a/index.js", "1");
    const run = await project.run();
    expect(outcomes(run)).toEqual(AFTER_A.slice(0, 2));
    expect(run.warnings.join()).toContain("dependencies between the packages");
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
