import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as diffs from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { gitEnv, GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";
import { createTestRuntime, testHere } from "@test/helpers/remote/testRuntime";

async function open(
  project: GitProject,
  dir = project.dir,
  runtime: HookRuntime = project.runtime
) {
  const opened = await openRepository(runtime, dir, { baseBranch: "main", env: {} });
  return opened._unsafeUnwrap();
}

async function snapshot(project: GitProject, context?: GitContext): Promise<string> {
  const taken = await takeSnapshot(project.runtime, context ?? (await open(project)));
  const { id, warnings } = taken._unsafeUnwrap();
  expect(warnings).toEqual([]);
  return id;
}

/** Returns all changes since the base. */
async function changes(project: GitProject, dir = project.dir): Promise<diffs.ChangedFile[]> {
  const context = await open(project, dir);
  const { from, to } = diffs.branchChanges(context, await snapshot(project, context));
  return (await diffs.changedFiles(project.runtime, context, from, to))._unsafeUnwrap();
}

/** Returns names and statuses, sorted. A rename is `previous -> path`. */
async function seen(project: GitProject, dir = project.dir): Promise<string[]> {
  return (await changes(project, dir))
    .map(({ path, status, previousPath }) =>
      previousPath === undefined ? `${status} ${path}` : `${status} ${previousPath} -> ${path}`
    )
    .sort();
}

describe("changed files", () => {
  it("include files committed since the base, staged, edited, deleted and untracked, and no later commits of the base (G7)", async () => {
    const project = await GitProject.create({ "edited.ts": "1", "gone.ts": "2", "same.ts": "3" });
    project.git("switch", "--quiet", "--create", "feature");
    project.commit("work", { "committed.ts": "4" });
    project.git("switch", "--quiet", "main");
    project.commit("theirs", { "theirs.ts": "2" });
    project.git("switch", "--quiet", "feature");
    project.write({ "staged.ts": "5" });
    project.git("add", "staged.ts");
    project.write({ "edited.ts": "changed", "new/untracked.ts": "6" });
    fs.rmSync(project.at("gone.ts"));
    expect(await seen(project)).toEqual([
      ...["added committed.ts", "added new/untracked.ts", "added staged.ts"],
      ...["deleted gone.ts", "modified edited.ts"],
    ]);
  });

  it("include changed modes and both names of renames, exclude ignored files, and list an edited rename as two files (G8)", async () => {
    const project = await GitProject.create({
      ...{ ".gitignore": "dist/\n", "run.sh": "#!/bin/sh\n", "Readme.md": "hello\n" },
      ...{ "old.ts": "the same content\n", "b.ts": "b\n" },
    });
    project.write({ "dist/out.js": "1" });
    fs.chmodSync(project.at("run.sh"), 0o755);
    fs.renameSync(project.at("Readme.md"), project.at("README.md"));
    fs.renameSync(project.at("old.ts"), project.at("new.ts"));
    fs.renameSync(project.at("b.ts"), project.at("c.ts"));
    project.write({ "c.ts": "b\nand more\n" });
    expect(await seen(project)).toEqual([
      ...["added c.ts", "deleted b.ts", "modified run.sh"],
      ...["renamed Readme.md -> README.md", "renamed old.ts -> new.ts"],
    ]);
    const paths = diffs.changedPaths(await changes(project));
    expect(paths).toEqual(expect.arrayContaining(["Readme.md", "README.md", "old.ts", "new.ts"]));
  });

  it("keep names with spaces, newlines, quotes and leading dashes, and have replacement characters if they are not UTF-8 (G8, G9a)", async () => {
    const project = await GitProject.create();
    const names = ["line\nbreak.ts", `"quoted".ts`, "--all", "-z", "ü/é.ts"];
    project.write(Object.fromEntries(names.map((name) => [name, "x" + name])));
    const raw = Buffer.concat([Buffer.from(`${project.dir}/caf`), Buffer.from([0xe9, 0x2d, 0xff])]);
    fs.writeFileSync(raw, "latin 1");
    const paths = (await changes(project)).map(({ path }) => path);
    expect(paths.sort()).toEqual([...names, "caf\ufffd-\ufffd"].sort());
  });

  it("include a symbolic link, but never its target (G8)", async () => {
    const outside = await tempDir();
    fs.writeFileSync(join(outside, "secret.ts"), "1");
    const project = await GitProject.create({ "was-file.ts": "1" });
    fs.symlinkSync(outside, project.at("link"));
    fs.symlinkSync("/nowhere", project.at("dangling"));
    fs.rmSync(project.at("was-file.ts"));
    fs.symlinkSync("a.txt", project.at("was-file.ts"));
    expect(await seen(project)).toEqual(["added dangling", "added link", "modified was-file.ts"]);
  });

  it("list a nested repository as one entry, with a warning if it has no commit", async () => {
    const project = await GitProject.create();
    const inner = new GitProject(project.at("inner"));
    project.write({ "inner/x.ts": "1", "seen.ts": "2" });
    inner.git("init", "--quiet");
    const context = await open(project);
    const taken = (await takeSnapshot(project.runtime, context))._unsafeUnwrap();
    expect(taken.warnings).toEqual([
      expect.stringContaining("nested repository inner has no commit"),
    ]);
    const { to } = diffs.uncommittedChanges(context, taken.id);
    const files = await diffs.changedFiles(project.runtime, context, context.head!, to);
    expect(files._unsafeUnwrap()).toEqual([{ path: "seen.ts", status: "added" }]);

    inner.commit("inner");
    expect(await seen(project)).toEqual(["added inner", "added seen.ts"]);
  });

  it("are relative to the project and limited to it in a folder of the repository, without files that a sparse checkout leaves out", async () => {
    const project = await GitProject.create({ "in/a.ts": "1", "out/b.ts": "2" });
    project.git("sparse-checkout", "set", "in");
    expect(fs.existsSync(project.at("out"))).toBe(false);
    project.write({ "in/a.ts": "changed", "in/new.ts": "3", "beside/c.ts": "3" });
    expect(await seen(project, project.at("in"))).toEqual(["added new.ts", "modified a.ts"]);
    expect(await seen(project)).toContain("added beside/c.ts");
    expect(await seen(project)).toHaveLength(3);
  });

  it("include files with a merge conflict", async () => {
    const project = await GitProject.create({ "f.ts": "base\n" });
    project.git("switch", "--quiet", "--create", "feature");
    project.commit("ours", { "f.ts": "ours\n" });
    project.git("switch", "--quiet", "main");
    project.commit("theirs", { "f.ts": "theirs\n" });
    project.git("switch", "--quiet", "feature");
    expect(() => project.git("merge", "main")).toThrow();
    expect(await seen(project)).toEqual(["modified f.ts"]);
    expect(project.git("ls-files", "--unmerged")).not.toBe("");
  });

  it("include an edit that keeps size and time, made while the index was written", async () => {
    const project = await GitProject.create({});
    const tick = new Date(Date.now() - 3_600_000);
    const settle = (path: string): void => {
      fs.utimesSync(project.at(path), tick, tick);
    };
    project.git("config", "core.checkStat", "minimal");
    project.git("config", "core.trustCtime", "false");
    project.write({ "f.ts": "aaa" });
    settle("f.ts");
    project.commit("first");
    project.write({ "f.ts": "bbb" });
    settle("f.ts");
    settle(".git/index");
    expect(await seen(project)).toEqual(["modified f.ts"]);
  });
});

describe("the user's configuration (G8, G9)", () => {
  it("does not affect the result", async () => {
    const project = await GitProject.create({ "ünï.ts": "1\n", "b.ts": "2\n" });
    project.git("switch", "--quiet", "--create", "feature");
    project.write({ "ünï.ts": "changed\n", "new file.ts": "3\r\n" });
    const before = await seen(project);
    expect(before).toEqual(["added new file.ts", "modified ünï.ts"]);

    const settings = {
      ...{ "diff.mnemonicPrefix": "true", "diff.noprefix": "true", "diff.renames": "false" },
      ...{ "diff.relative": "true", "diff.ignoreSubmodules": "all", "diff.orderFile": "/nowhere" },
      ...{ "color.ui": "always", "core.quotePath": "true", "core.safecrlf": "true" },
      ...{ "core.autocrlf": "input", "core.splitIndex": "true", "core.logAllRefUpdates": "always" },
      "status.showUntrackedFiles": "no",
    };
    for (const [name, value] of Object.entries(settings)) project.git("config", name, value);
    expect(await seen(project)).toEqual(before);
  });

  it("does not affect the result if it is in the environment, as inside a git hook (G20c)", async () => {
    const project = await GitProject.create();
    const other = await GitProject.create({ "other.ts": "1" });
    project.write({ "mine.ts": "1" });
    const runtime = createTestRuntime({
      env: gitEnv({
        GIT_DIR: other.at(".git"),
        GIT_WORK_TREE: other.dir,
        GIT_INDEX_FILE: other.at(".git/index"),
        GIT_EXTERNAL_DIFF: "false",
        GIT_LITERAL_PATHSPECS: "1",
        GIT_OBJECT_DIRECTORY: "/nowhere",
        ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.worktree", GIT_CONFIG_VALUE_0: "/" },
        GIT_CONFIG_PARAMETERS: "'core.worktree'='/'",
        GIT_TRACE: "1",
      }),
    });
    expect(await seen(new GitProject(project.dir, runtime))).toEqual(["added mine.ts"]);
  });
});

describe("a snapshot (G9)", () => {
  it("leaves index, working tree, stash list, refs and status unchanged", async () => {
    const project = await GitProject.create({ "a.ts": "1", "b.ts": "2" });
    project.write({ "b.ts": "stashed" });
    project.git("stash", "push", "--quiet");
    project.write({ "a.ts": "staged" });
    project.git("add", "a.ts");
    project.write({ "a.ts": "and edited", "untracked.ts": "3" });
    const state = () => ({
      index: fs.readFileSync(project.at(".git/index")).toString("base64"),
      indexTime: fs.statSync(project.at(".git/index")).mtimeMs,
      stash: project.git("stash", "list"),
      refs: project.git("for-each-ref"),
      gitDir: fs.readdirSync(project.at(".git")).sort(),
      files: ["a.ts", "b.ts", "untracked.ts"].map((name) => [
        name,
        fs.statSync(project.at(name)).mtimeMs,
      ]),
      status: project.git("--no-optional-locks", "status", "--porcelain=v2"),
    });
    const before = state();
    await snapshot(project);
    expect(state()).toEqual(before);
  });

  it("contains every file, and is equal for equal content, committed or not", async () => {
    const project = await GitProject.create({ "a.ts": "1" });
    project.write({ "a.ts": "2", "new.ts": "3" });
    const first = await snapshot(project);
    expect(project.git("ls-tree", "-r", "--name-only", first)).toBe("a.ts\nnew.ts");
    expect(project.git("show", `${first}:a.ts`)).toBe("2");
    project.commit("what was there");
    expect(await snapshot(project)).toBe(first);
    project.write({ "new.ts": "4" });
    expect(await snapshot(project)).not.toBe(first);
  });

  it("reads a split index, and leaves no shared index of its own", async () => {
    const project = await GitProject.create({ "a.ts": "1", "b.ts": "2" });
    project.git("config", "core.splitIndex", "true");
    project.git("update-index", "--split-index");
    project.commit("split", { "c.ts": "3" });
    project.write({ "b.ts": "changed" });
    const before = fs.readdirSync(project.at(".git")).sort();
    expect(before.some((name) => name.startsWith("sharedindex."))).toBe(true);
    expect(await seen(project)).toEqual(["modified b.ts"]);
    expect(fs.readdirSync(project.at(".git")).sort()).toEqual(before);
  });

  it("reports why git cannot write, as on a full disk", async () => {
    const project = await GitProject.create();
    const context = await open(project);
    // Several files, because the object of a single one could be in a folder that already exists.
    project.write({ "new.ts": "1", "new2.ts": "2", "new3.ts": "3", "new4.ts": "4" });
    for (let n = 0; n < 256; n++) {
      const folder = project.at(`.git/objects/${n.toString(16).padStart(2, "0")}`);
      if (!fs.existsSync(folder)) fs.writeFileSync(folder, "");
    }
    const taken = await takeSnapshot(project.runtime, context);
    const { reason, message } = taken._unsafeUnwrapErr();
    expect(reason).toBe("failed");
    expect(message).toMatch(/^git add failed with exit code 1: error: .*new\d?\.ts/s);
  });
});

testHere("4,000 changed files are listed, and moved ones are found", async () => {
  const project = await GitProject.create();
  execFileSync("bash", [
    "-c",
    `cd "$1" && for d in $(seq 40); do mkdir -p p/$d; for f in $(seq 100); do echo $d-$f > p/$d/$f.ts; done; done`,
    "-",
    project.dir,
  ]);
  const files = await changes(project);
  expect(files).toHaveLength(4_000);

  project.commit("moved", {});
  fs.renameSync(project.at("p"), project.at("q"));
  const moved = await diffs.changedFiles(
    project.runtime,
    await open(project),
    "HEAD",
    await snapshot(project)
  );
  expect(moved._unsafeUnwrap().filter(({ status }) => status === "renamed")).toHaveLength(4_000);
});
