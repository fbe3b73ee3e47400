/** `init --ci`: the workflow is valid, its steps hold a pull request, and only a protected branch writes results (G52). */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { EXIT } from "@/cli/context";
import { repository } from "@test/helpers/built";
import { gitEnv, writeExecutable } from "@test/helpers/gitProject";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { tempDir } from "@test/helpers/tempDir";

const GITHUB = ".github/workflows/gauntlet.yml";
const CACHE = ".git/agent-gauntlet/logs/.check_cache.json";

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

const FILES = {
  "package.json": '{"devDependencies":{"mux-stop-hooks":"*"}}\n',
  ".gitignore": "node_modules\n",
  "src/a.txt": "good\n",
  ".gauntlet/config.yml":
    'checks:\n  words: { command: "! grep -rq BAD src", inputs: [src] }\n  other: "true"\n',
};

async function createProject(files: Readonly<Record<string, string>> = FILES) {
  return await InitProject.create(files);
}

/** Returns the steps of GitHub's workflow that run for an event, without the installation. */
function stepsOf(project: InitProject, event: "pull_request" | "push"): Step[] {
  const { jobs } = parse(project.read(GITHUB)) as {
    readonly jobs: Readonly<Record<"gauntlet", { readonly steps: readonly Step[] }>>;
  };
  return jobs.gauntlet.steps.filter(
    ({ if: condition = "", name }) =>
      name !== "Install" &&
      (!condition.includes("event_name") ||
        condition.includes("event_name == 'pull_request'") === (event === "pull_request"))
  );
}

/** Clones the repository as CI does, with the package in node_modules. */
async function clone(project: InitProject, branch: string): Promise<string> {
  const dir = join(await tempDir(), "clone");
  project.git("clone", "--quiet", "--branch", branch, project.dir, dir);
  mkdirSync(join(dir, "node_modules/.bin"), { recursive: true });
  symlinkSync(repository, join(dir, "node_modules/mux-stop-hooks"));
  symlinkSync(
    join(repository, "bin/mux-stop-hooks.cjs"),
    join(dir, "node_modules/.bin/mux-stop-hooks")
  );
  // npx itself needs more time than the command.
  const npx = '#!/bin/sh\ntest "$1" = --no-install && shift && exec "node_modules/.bin/$@"\n';
  writeExecutable(join(dirname(dir), "bin/npx"), npx);
  return dir;
}

/** Runs the lines of a step as GitHub does. Returns the exit code and the output. */
function runStep(dir: string, line: string, env: Readonly<Record<string, string>> = {}) {
  const text = line
    .replaceAll("${{ strategy.job-index }}", "0")
    .replaceAll("${{ strategy.job-total }}", "1");
  const ended = spawnSync("bash", ["-e", "-o", "pipefail", "-c", text], {
    cwd: dir,
    env: gitEnv({
      ...{ CI: "true", HOME: dirname(dir), PATH: `${dirname(dir)}/bin:${process.env.PATH ?? ""}` },
      ...env,
    }),
    encoding: "utf8",
  });
  return { code: ended.status, output: ended.stdout + ended.stderr };
}

describe("the workflow of GitHub (G52)", () => {
  test("holds a pull request, and takes from the protected branch what passed on the same inputs", async () => {
    const project = await createProject();
    const { code, stdout } = await project.init({ ci: "github" });
    expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining(`Creating ${GITHUB}...`)]);
    project.commit("workflow");
    const [all] = stepsOf(project, "push").flatMap(({ run }) => run ?? []);
    const [pull] = stepsOf(project, "pull_request").flatMap(({ run }) => run ?? []);

    const main = await clone(project, "main");
    expect(runStep(main, all!)).toMatchObject({ code: 0 });
    expect(existsSync(join(main, CACHE))).toBe(true);

    project.git("switch", "--quiet", "--create", "topic");
    project.commit("text", { "README.md": "text\n" });
    const good = await clone(project, "topic");
    mkdirSync(dirname(join(good, CACHE)), { recursive: true });
    cpSync(join(main, CACHE), join(good, CACHE));
    const env = { GITHUB_ACTIONS: "true", GITHUB_BASE_REF: "main" };
    const passed = runStep(good, pull!, env);
    expect(passed).toMatchObject({ code: 0 });
    expect(passed.output).toMatch(/check:\.:words.*cached/);
    expect(passed.output).not.toMatch(/check:\.:other.*cached/);
    expect(existsSync(join(good, "gauntlet.xml"))).toBe(true);

    project.commit("bad", { "src/b.txt": "BAD\n" });
    const bad = await clone(project, "topic");
    mkdirSync(dirname(join(bad, CACHE)), { recursive: true });
    cpSync(join(main, CACHE), join(bad, CACHE));
    expect(runStep(bad, pull!, env)).toMatchObject({
      code: 1,
      output: expect.stringContaining("[FAIL]  check:.:words") as string,
    });
  });

  test("is valid, and writes results only on a protected branch, which reads none", async () => {
    const project = await createProject();
    project.git("update-ref", "refs/remotes/origin/trunk", "HEAD");
    project.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    await project.init({ ci: "github" });
    const workflow = parse(project.read(GITHUB)) as {
      readonly jobs: Readonly<Record<"gauntlet", { readonly steps: readonly Step[] }>>;
    };
    const { gauntlet } = workflow.jobs;
    expect(unknownIn(workflow, GITHUB_KEYS.workflow)).toEqual([]);
    expect(unknownIn(gauntlet, GITHUB_KEYS.job)).toEqual([]);
    for (const step of gauntlet.steps) {
      expect(unknownIn(step, GITHUB_KEYS.step)).toEqual([]);
      expect([step.run, step.uses].filter((one) => one !== undefined)).toHaveLength(1);
      expect(step.uses ?? "a/b@v1").toMatch(/^[\w-]+\/[\w/-]+@v\d+$/);
    }
    expect(workflow).toMatchObject({
      jobs: { gauntlet: { "runs-on": "ubuntu-latest", strategy: { matrix: { shard: [0] } } } },
      on: { push: { branches: ["trunk"] }, schedule: [{}] },
      permissions: { contents: "read" },
    });
    const caches = (event: "pull_request" | "push") =>
      stepsOf(project, event).filter(({ uses }) => uses?.startsWith("actions/cache"));
    expect(caches("pull_request").map(({ uses }) => uses)).toEqual(["actions/cache/restore@v4"]);
    const [save, ...more] = caches("push");
    expect([save?.uses, more]).toEqual(["actions/cache/save@v4", []]);
    expect(save?.if).toContain("success() && ");
    expect(save?.if).toContain("github.ref_protected");
    const [restore] = caches("pull_request");
    expect(save?.with?.path).toBe(CACHE);
    expect(restore?.with?.path).toBe(CACHE);
    expect(save?.with?.key).toBe(restore?.with?.key);
    for (const part of [
      "runner.os",
      "runner.arch",
      "**/*.lock",
      "steps.node.outputs.node-version",
      "**/.gauntlet/**",
      GITHUB,
      "**/package.json",
    ]) {
      expect(restore?.with?.["restore-keys"]).toContain(part);
    }
  });

  test("of a project in a subfolder runs there", async () => {
    const nested = Object.entries(FILES).map(
      ([path, text]) => [`packages/app/${path}`, text] as const
    );
    const project = await createProject(Object.fromEntries(nested));
    await project.init({ ci: "github" }, { cwd: project.at("packages/app") });
    const runs = stepsOf(project, "push").filter(({ run }) => run !== undefined);
    expect(runs.map((step) => step["working-directory"])).toEqual(["packages/app"]);
    expect(project.read(GITHUB)).toMatch(
      /path: "\.git\/agent-gauntlet\/logs-[0-9a-f]{12}\/\.check_cache\.json"/
    );
  });

  test("needs the package in package.json, is shown by --dry-run, and is never changed again", async () => {
    const project = await createProject({ ...FILES, "package.json": "{}\n" });
    const { code, stderr } = await project.init({ ci: "github" });
    expect(code).toBe(EXIT.failure);
    expect(stderr).toMatch(
      /commit the package with package\.json: npm install --save-dev "\$\(npm pack /
    );
    project.write({ "package.json": FILES["package.json"] });
    const { stdout } = await project.init({ ci: "github", dryRun: true });
    expect(stdout).toContain(`+++ ${GITHUB}\n`);
    expect(existsSync(project.at(GITHUB))).toBe(false);
    project.write({ [GITHUB]: "mine\n" });
    await project.init({ ci: "github" });
    expect(project.read(GITHUB)).toBe("mine\n");
  });
});

describe("the workflow of GitLab (G52)", () => {
  test("is valid, and holds a merge request", async () => {
    const project = await createProject();
    await project.init({ ci: "gitlab" });
    const workflow = parse(project.read(".gitlab-ci.yml")) as {
      readonly gauntlet: { readonly script: readonly string[] };
    };
    expect(unknownIn(workflow.gauntlet, GITLAB_KEYS)).toEqual([]);
    const line = workflow.gauntlet.script.at(-1)!;
    project.commit("workflow");
    project.git("switch", "--quiet", "--create", "topic");
    const env = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" };
    project.commit("bad", { "src/b.txt": "BAD\n" });
    const bad = await clone(project, "topic");
    const held = runStep(bad, line, env);
    expect(held.code).toBe(1);
    expect(held.output).toContain("[FAIL]  check:.:words");
    expect(held.output).toContain("[PASS]  check:.:other");
    expect(existsSync(join(bad, "gauntlet.json"))).toBe(true);
  });

  test("is a file of its own beside one that exists", async () => {
    const project = await createProject();
    writeFileSync(project.at(".gitlab-ci.yml"), "mine: {}\n");
    const { stdout } = await project.init({ ci: "gitlab" });
    expect(project.read(".gitlab-ci.yml")).toBe("mine: {}\n");
    expect(stdout).toContain('Add "include: [{ local: .gitlab/gauntlet.yml }]" to .gitlab-ci.yml.');
    expect(parse(project.read(".gitlab/gauntlet.yml"))).toHaveProperty("gauntlet");
  });
});

/** The keys that https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax allows at each place. */
const GITHUB_KEYS = {
  workflow: ["name", "on", "permissions", "jobs"],
  job: ["runs-on", "strategy", "steps"],
  step: ["id", "name", "if", "run", "uses", "with", "env", "working-directory"],
};

/** The keys of https://docs.gitlab.com/ci/yaml/ that are used here. */
const GITLAB_KEYS = ["image", "variables", "rules", "script", "artifacts"];

/** Returns the keys that do not belong to a place. */
const unknownIn = (value: object, known: readonly string[]): string[] =>
  Object.keys(value).filter((key) => !known.includes(key));
