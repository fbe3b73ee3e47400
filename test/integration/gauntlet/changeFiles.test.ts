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
  return described(await changes(project, dir));
}

function described(files: readonly diffs.ChangedFile[]): string[] {
  return files
    .map(({ path, status, previousPath }) =>
      previousPath === undefined ? `${status} ${path}` : `${status} ${previousPath} -> ${path}`
    )
    .sort();
}

/** Runs several commands in one shell. */
function sh(project: GitProject, ...lines: string[]): void {
  const line = lines.join(" && ");
  execFileSync("sh", ["-c", line], { cwd: project.dir, env: gitEnv(), stdio: "pipe" });
}

describe("changed files", () => {
  it("include files committed since the base, staged, edited, deleted and untracked, and no later commits of the base (G7)", async () => {
    const project = await GitProject.create({ "edited.ts": "1", "gone.ts": "2", "same.ts": "3" });
    sh(
      project,
      "git switch -qc feature && echo 4 > committed.ts && git add . && git commit -qm work",
      "git switch -q main && echo 2 > theirs.ts && git add . && git commit -qm theirs",
      "git switch -q feature && echo 5 > staged.ts && git add staged.ts"
    );
    project.write({ "edited.ts": "changed", "new/untracked.ts": "6" });
    fs.rmSync(project.at("gone.ts"));
    expect(await seen(project)).toEqual([
      ...["added committed.ts", "added new/untracked.ts", "added staged.ts"],
      ...["deleted gone.ts", "modified edited.ts"],
    ]);
  });

  it("include changed modes and both names of renames, exclude ignored files, list an edited rename as two files, and include a symbolic link, but never its target (G8)", async () => {
    const outside = await tempDir();
    fs.writeFileSync(join(outside, "secret.ts"), "1");
    const project = await GitProject.create({
      ...{ ".gitignore": "dist/\n", "run.sh": "#!/bin/sh\n", "Readme.md": "hello\n" },
      ...{ "old.ts": "the same content\n", "b.ts": "b\n", "was-file.ts": "1" },
    });
    project.write({ "dist/out.js": "1" });
    fs.chmodSync(project.at("run.sh"), 0o755);
    fs.renameSync(project.at("Readme.md"), project.at("README.md"));
    fs.renameSync(project.at("old.ts"), project.at("new.ts"));
    fs.renameSync(project.at("b.ts"), project.at("c.ts"));
    project.write({ "c.ts": "b\nand more\n" });
    fs.symlinkSync(outside, project.at("link"));
    fs.symlinkSync("/nowhere", project.at("dangling"));
    fs.rmSync(project.at("was-file.ts"));
    fs.symlinkSync("a.txt", project.at("was-file.ts"));
    const files = await changes(project);
    expect(described(files)).toEqual([
      ...["added c.ts", "added dangling", "added link", "deleted b.ts"],
      ...["modified run.sh", "modified was-file.ts"],
      ...["renamed Readme.md -> README.md", "renamed old.ts -> new.ts"],
    ]);
    const paths = diffs.changedPaths(files);
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
    const all = ["added beside/c.ts", "added in/new.ts", "modified in/a.ts"];
    expect(await seen(project)).toEqual(all);
  });

  it("include files with a merge conflict", async () => {
    const project = await GitProject.create({ "f.ts": "base\n" });
    sh(
      project,
      "git switch -qc feature && echo ours > f.ts && git commit -qam ours",
      "git switch -q main && echo theirs > f.ts && git commit -qam theirs",
      "git switch -q feature && ! git merge main"
    );
    expect(await seen(project)).toEqual(["modified f.ts"]);
    expect(project.git("ls-files", "--unmerged")).not.toBe("");
  });

  it("include an edit that keeps size and time, made while the index was written", async () => {
    const project = await GitProject.create({});
    const tick = new Date(Date.now() - 3_600_000);
    const settle = (path: string): void => {
      fs.utimesSync(project.at(path), tick, tick);
    };
    fs.appendFileSync(
      project.at(".git/config"),
      "[core]\ncheckStat = minimal\ntrustCtime = false\n"
    );
    project.write({ "f.ts": "aaa" });
    settle("f.ts");
    sh(project, "git add . && git commit -qm first");
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
    const lines = Object.entries(settings).map(([name, value]) => {
      const [section, key] = name.split(".");
      return `[${section}]\n${key} = ${value}\n`;
    });
    fs.appendFileSync(project.at(".git/config"), lines.join(""));
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
    sh(project, "echo stashed > b.ts && git stash push -q", "echo staged > a.ts && git add a.ts");
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
    sh(project, "git add . && git commit -qm there");
    expect(await snapshot(project)).toBe(first);
    project.write({ "new.ts": "4" });
    expect(await snapshot(project)).not.toBe(first);
  });

  it("reads a split index, and leaves no shared index of its own", async () => {
    const project = await GitProject.create({ "a.ts": "1", "b.ts": "2" });
    sh(
      project,
      "git config core.splitIndex true && git update-index --split-index",
      "echo 3 > c.ts && git add . && git commit -qm split"
    );
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

testHere("1,500 changed files are listed, and moved ones are found", async () => {
  const project = await GitProject.create();
  const paths = Array.from({ length: 1_500 }, (_, i) => `p/${i % 15}/${i}.ts`);
  project.write(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
  expect(await changes(project)).toHaveLength(1_500);

  sh(project, "git add . && git commit -qm moved");
  fs.renameSync(project.at("p"), project.at("q"));
  const moved = await diffs.changedFiles(
    project.runtime,
    await open(project),
    "HEAD",
    await snapshot(project)
  );
  expect(moved._unsafeUnwrap().filter(({ status }) => status === "renamed")).toHaveLength(1_500);
});
