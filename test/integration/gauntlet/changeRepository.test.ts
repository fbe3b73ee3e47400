import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BaseOptions } from "@/node/services/gauntlet/change/git/baseCandidates";
import * as diffs from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isAncestor, keepSnapshots } from "@/node/services/gauntlet/change/git/gitQueries";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { countGit, gitEnv, GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";

const CI = { CI: "true" };

async function open(project: GitProject, baseBranch = "origin/main", env: BaseOptions["env"] = {}) {
  const opened = await openRepository(project.runtime, project.dir, { baseBranch, env });
  return opened._unsafeUnwrap();
}

async function refuse(dir: string, runtime = createTestRuntime({ env: gitEnv() })) {
  const opened = await openRepository(runtime, dir, { baseBranch: "main", env: {} });
  return opened._unsafeUnwrapErr();
}

async function seen(project: GitProject, context: GitContext): Promise<string[]> {
  const { id } = (await takeSnapshot(project.runtime, context))._unsafeUnwrap();
  const { from, to } = diffs.branchChanges(context, id);
  return diffs.changedPaths(
    (await diffs.changedFiles(project.runtime, context, from, to))._unsafeUnwrap()
  );
}

async function clone(from: GitProject, ...options: string[]): Promise<GitProject> {
  const dir = join(await tempDir(), "clone");
  from.git("clone", "--quiet", ...options, `file://${from.dir}`, dir);
  return new GitProject(dir);
}

describe("a repository (G8)", () => {
  it("has a branch, a commit and a base", async () => {
    const upstream = await GitProject.create();
    const base = upstream.git("rev-parse", "HEAD");
    const project = await clone(upstream);
    project.git("switch", "--quiet", "--create", "feature/x");
    const head = project.commit("work", { "b.ts": "1" });
    upstream.commit("they move on", { "c.ts": "2" });
    project.git("fetch", "--quiet");
    expect(await open(project)).toMatchObject({
      root: project.dir,
      prefix: "",
      gitDir: project.at(".git"),
      branch: "feature/x",
      head,
      baseRef: "origin/main",
      baseCommit: base,
      headInBase: false,
      warnings: [],
    });
  });

  it("has the branch HEAD if HEAD is detached", async () => {
    const project = await GitProject.create();
    project.git("switch", "--quiet", "--detach");
    const context = await open(project, "main");
    expect(context).toMatchObject({ branch: "HEAD", headInBase: true });
    project.write({ "b.ts": "1" });
    expect(await seen(project, context)).toEqual(["b.ts"]);
  });

  it("has no base and lists every file if it has no commit, also with SHA-256", async () => {
    const project = new GitProject(await tempDir());
    project.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256");
    const empty = await open(project);
    expect(await seen(project, empty)).toEqual([]);
    project.write({ "a.ts": "1", "b.ts": "2" });
    project.git("add", "a.ts");
    const context = await open(project);
    expect(context).toMatchObject({ branch: "main", headInBase: false, warnings: [] });
    expect(context).not.toHaveProperty("head");
    expect(await seen(project, context)).toEqual(["a.ts", "b.ts"]);
  });

  it("may be a linked worktree, with its own .git file, HEAD and snapshots", async () => {
    const main = await GitProject.create();
    const dir = join(await tempDir(), "linked");
    main.git("worktree", "add", "--quiet", "-b", "linked", dir);
    const linked = new GitProject(dir);
    linked.write({ "b.ts": "1" });
    main.write({ "not-here.ts": "1" });
    const context = await open(linked, "main");
    expect(context).toMatchObject({ root: dir, branch: "linked", commonDir: main.at(".git") });
    expect(context.gitDir).not.toBe(context.commonDir);
    expect(await seen(linked, context)).toEqual(["b.ts"]);

    const { id } = (await takeSnapshot(linked.runtime, context))._unsafeUnwrap();
    (await keepSnapshots(linked.runtime, context, [id]))._unsafeUnwrap();
    expect((await open(linked, "main")).keptSnapshots).toEqual([id]);
    expect((await open(main, "main")).keptSnapshots).toEqual([]);
  });

  it("may be shallow if it has the tip of the base, and lists too many files without a common commit", async () => {
    const upstream = await GitProject.create();
    upstream.commit("second", { "b.ts": "1" });
    const onBase = await clone(upstream, "--depth=1");
    onBase.commit("work", { "mine.ts": "1" });
    const context = await open(onBase);
    expect(context.warnings).toEqual([]);
    expect(await seen(onBase, context)).toEqual(["mine.ts"]);

    upstream.git("switch", "--quiet", "--create", "feature");
    upstream.commit("third", { "c.ts": "1" });
    upstream.commit("fourth", { "d.ts": "1" });
    const apart = await clone(upstream, "--depth=1", "--no-single-branch");
    const cut = await open(apart);
    expect(cut.warnings).toEqual([expect.stringContaining("git fetch --unshallow")]);
    expect(cut).toMatchObject({ baseRef: "origin/main", headInBase: false });
    expect(await seen(apart, cut)).toEqual(["c.ts", "d.ts"]);
  });

  it("is rejected in CI if it is shallow and has no base, since every change would pass", async () => {
    const upstream = await GitProject.create();
    upstream.git("switch", "--quiet", "--create", "feature");
    upstream.commit("work", { "b.ts": "1" });
    const project = await clone(upstream, "--depth=1", "--branch=feature");
    project.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD");
    const opened = await openRepository(project.runtime, project.dir, {
      baseBranch: "origin/main",
      env: CI,
    });
    expect(opened._unsafeUnwrapErr().message).toContain("fetch-depth: 0");
    expect((await open(project)).warnings).toHaveLength(1);
  });
});

describe("the base branch (G7)", () => {
  it("contains what has been merged into it", async () => {
    const project = await GitProject.create();
    project.git("switch", "--quiet", "--create", "feature");
    project.commit("work", { "b.ts": "1" });
    project.git("switch", "--quiet", "main");
    project.git("merge", "--quiet", "--no-ff", "--no-edit", "feature");
    project.git("switch", "--quiet", "feature");
    const context = await open(project, "main");
    expect(context).toMatchObject({ headInBase: true, baseCommit: context.head });
    expect(await seen(project, context)).toEqual([]);
  });

  it("may be a commit or a tag", async () => {
    const project = await GitProject.create();
    const first = project.git("rev-parse", "HEAD");
    project.git("tag", "--annotate", "--message=v1", "v1");
    project.commit("work", { "b.ts": "1" });
    for (const base of [first, "v1", "HEAD~1"]) {
      const context = await open(project, base);
      expect(context).toMatchObject({ baseRef: base, baseCommit: first, warnings: [] });
    }
  });

  it("falls back, with a warning, to the remote's default branch, main, master, then to none", async () => {
    const upstream = await GitProject.create();
    upstream.git("branch", "--move", "trunk");
    const project = await clone(upstream, "--origin=origin");
    project.git("switch", "--quiet", "--create", "feature");
    project.commit("work", { "b.ts": "1" });
    project.git("branch", "main", "origin/trunk");
    project.git("branch", "master", "origin/trunk");
    const fallBack = async (): Promise<string | undefined> => {
      const { baseRef, warnings } = await open(project, "origin/nope");
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain("the base branch origin/nope does not exist in this clone");
      expect(await seen(project, await open(project, "origin/nope"))).toEqual(
        baseRef === undefined ? [] : ["b.ts"]
      );
      return baseRef;
    };
    expect(await fallBack()).toBe("origin/HEAD");
    project.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD");
    expect(await fallBack()).toBe("main");
    project.git("branch", "--quiet", "--delete", "--force", "main");
    expect(await fallBack()).toBe("master");
    project.git("branch", "--quiet", "--delete", "--force", "master");
    expect(await fallBack()).toBeUndefined();
  });

  it("prefers a remote branch to a local branch or a tag of that name, with a warning (G20c)", async () => {
    const upstream = await GitProject.create();
    const project = await clone(upstream);
    const base = project.git("rev-parse", "HEAD");
    project.git("switch", "--quiet", "--create", "feature");
    const head = project.commit("work", { "b.ts": "1" });
    expect(await open(project)).toMatchObject({ baseCommit: base, warnings: [] });
    project.git("branch", "origin/main");
    expect(await open(project)).toMatchObject({
      baseRef: "origin/main",
      baseRevision: "refs/remotes/origin/main",
      baseCommit: base,
      headInBase: false,
      warnings: [expect.stringContaining("the base branch origin/main is ambiguous")],
    });
    project.git("branch", "--quiet", "--delete", "--force", "origin/main");
    project.git("tag", "main", head);
    expect(await open(project, "main")).toMatchObject({
      baseRevision: "refs/heads/main",
      baseCommit: base,
      warnings: [expect.stringContaining("refs/tags/main also exists")],
    });
  });

  it("may not be an option or another expression of git, and falls back (G9a)", async () => {
    const project = await GitProject.create();
    const names = ["--all", "-z", "^main", "", "a..b", "main\nmain", "refs/*", "[", "main:a.txt"];
    for (const name of [...names, "--glob=*"]) {
      const context = await open(project, name);
      expect(context).toMatchObject({ baseRef: "main", headInBase: true, branch: "main" });
    }
  });
});

describe("openRepository", () => {
  it("rejects a plain folder, a missing one, a bare repository, and a .git file that points nowhere (G8)", async () => {
    const dir = await tempDir();
    const rejects = async (message: string): Promise<void> => {
      expect(await refuse(dir)).toEqual<GitFailure>({ reason: "no-repository", message });
    };
    await rejects(
      `${dir} is not in a git repository, so the changes cannot be determined; run "git init" in it, or work in a clone`
    );
    expect((await refuse(join(dir, "gone"))).message).toContain("gone does not exist");
    new GitProject(dir).git("init", "--quiet", "--bare");
    await rejects(
      `${dir} is in a bare repository, which has no files to check; work in a clone or a worktree of it`
    );
    writeFileSync(join(dir, ".git"), "gitdir: /nowhere/.git\n");
    expect((await refuse(dir)).message).toContain("/nowhere/.git");
  });

  it("reports that git is not installed (G8)", async () => {
    const project = await GitProject.create();
    const runtime = createTestRuntime({ env: { PATH: await tempDir() } });
    const failure = await refuse(project.dir, runtime);
    expect(failure.reason).toBe("no-git");
    expect(failure.message).toContain("“git” is not on the PATH");
  });
});

describe("kept snapshots (G9a)", () => {
  it("have one ref each, and the other refs are removed, in one process", async () => {
    const { runtime, calls } = await countGit();
    const project = await GitProject.create();
    const ids: string[] = [];
    for (const content of ["1", "2", "3"]) {
      project.write({ "new.ts": content });
      const taken = await takeSnapshot(project.runtime, await open(project, "main"));
      ids.push(taken._unsafeUnwrap().id);
    }
    const [a = "", b = "", c = ""] = ids;
    const keep = async (...kept: string[]): Promise<string[]> => {
      const context = await open(project, "main");
      calls();
      (await keepSnapshots(runtime, context, kept))._unsafeUnwrap();
      return project.git("for-each-ref", "--format=%(refname)").split("\n").sort();
    };
    const ref = (id: string): string => `refs/worktree/agent-gauntlet/${id}`;
    expect(await keep(a, b)).toEqual(["refs/heads/main", ref(a), ref(b)].sort());
    expect(calls()).toHaveLength(1);
    expect(await keep(b, c)).toEqual(["refs/heads/main", ref(b), ref(c)].sort());
    expect(calls()).toHaveLength(1);
    await keep(c, b);
    expect(calls()).toHaveLength(0);
    project.git("gc", "--quiet", "--prune=now");
    expect(project.git("show", `${b}:new.ts`)).toBe("2");
    expect(() => project.git("cat-file", "-e", a)).toThrow();
    expect(await keep()).toEqual(["refs/heads/main"]);
  });

  it("are not removed by another project of the repository", async () => {
    const project = await GitProject.create({ "app/a.ts": "1", "lib/a.ts": "1" });
    const id = project.git("rev-parse", "HEAD^{tree}");
    const [app, lib] = ["app", "lib"].map((folder) => new GitProject(project.at(folder)));
    const keep = async (one: GitProject, ...ids: string[]): Promise<void> => {
      (await keepSnapshots(one.runtime, await open(one, "main"), ids))._unsafeUnwrap();
    };
    for (const one of [app!, lib!, project]) await keep(one, id);
    await keep(lib!);
    await keep(project);
    expect((await open(app!, "main")).keptSnapshots).toEqual([id]);
    expect((await open(lib!, "main")).keptSnapshots).toEqual([]);
    expect((await open(project, "main")).keptSnapshots).toEqual([]);
    expect(project.git("for-each-ref", "refs/worktree").split("\n")).toHaveLength(1);
  });

  it("are written completely or not at all: an unknown object ID changes nothing", async () => {
    const project = await GitProject.create();
    const context = await open(project, "main");
    const ids = [context.headTree!, "0123456789".repeat(4)];
    const kept = await keepSnapshots(project.runtime, context, ids);
    expect(kept._unsafeUnwrapErr().message).toMatch(/^git update-ref failed/);
    expect((await open(project, "main")).keptSnapshots).toEqual([]);
    // Nor can an ID add commands to the transaction.
    const hostile = `x\0${context.head!}\0\0delete refs/heads/main\0\0`;
    expect((await keepSnapshots(project.runtime, context, [hostile])).isErr()).toBe(true);
    expect(project.git("rev-parse", "main")).toBe(context.head);
  });
});

it("ancestry is true for a commit and its descendant, and false for other commits and names that are not commits (G18)", async () => {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD");
  const second = project.commit("second");
  const context = await open(project, "main");
  const ask = async (a: string, b: string) =>
    (await isAncestor(project.runtime, context, a, b))._unsafeUnwrap();
  expect(await ask(first, "main")).toBe(true);
  expect(await ask(second, "main")).toBe(true);
  expect(await ask(second, first)).toBe(false);
  expect(await ask("0123456789".repeat(4), "main")).toBe(false);
  expect(await ask("--all", "main")).toBe(false);
  expect(await ask(first, "origin/nope")).toBe(false);
  rmSync(project.at(".git"), { recursive: true });
  expect((await isAncestor(project.runtime, context, first, second)).isErr()).toBe(true);
});

it("a replacement object does not hide a change (G20c)", async () => {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "feature");
  const second = project.commit("work", { "b.ts": "1" });
  project.git("replace", second, first);
  expect((await open(project, "main")).headInBase).toBe(false);
  expect(await seen(project, await open(project, "main"))).toEqual(["b.ts"]);
});
