import { readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { changedFiles, branchChanges } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/gitQueries";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { countGit, GitProject } from "@test/helpers/gitProject";

const LONG_AGO = new Date(Date.now() - 100_000);

async function open(
  project: GitProject,
  baseBranch = "main",
  runtime: HookRuntime = project.runtime
): Promise<GitContext> {
  const opened = await openRepository(runtime, project.dir, { baseBranch, env: {} });
  return opened._unsafeUnwrap();
}

/** Takes a snapshot as a run does, which keeps the index for the next run and a ref for the tree. */
async function snapshot(project: GitProject): Promise<string> {
  const context = await open(project);
  const taken = await takeSnapshot(project.runtime, context, { keepIndex: true });
  const { id } = taken._unsafeUnwrap();
  (await keepSnapshots(project.runtime, context, [id]))._unsafeUnwrap();
  return id;
}

async function fresh(project: GitProject): Promise<string> {
  return (await takeSnapshot(project.runtime, await open(project)))._unsafeUnwrap().id;
}

function keptIndexes(project: GitProject): string[] {
  return readdirSync(project.at(".git")).filter((name) => name.startsWith("agent-gauntlet"));
}

describe("the number of git processes", () => {
  const start = async (branch: boolean) => {
    const { runtime, calls } = await countGit();
    const project = await GitProject.create({ "a.ts": "1", "b.ts": "2" });
    if (branch) project.git("switch", "--quiet", "--create", "feature");
    project.commit("work", { "c.ts": "3" });
    project.write({ "b.ts": "changed", "untracked.ts": "4" });
    // git compares the content of files that were written in the same second as the index, so these get an older time.
    for (const name of ["a.ts", "b.ts", "c.ts", "untracked.ts"]) {
      utimesSync(project.at(name), LONG_AGO, LONG_AGO);
    }
    const last = await snapshot(project);
    /** Takes another snapshot, and returns its git commands and the files that changed since the first one. */
    const look = async (baseBranch: string) => {
      calls();
      const context = await open(project, baseBranch, runtime);
      const taken = await takeSnapshot(runtime, context, { keepIndex: true });
      const { to } = branchChanges(context, taken._unsafeUnwrap().id);
      const files = (await changedFiles(runtime, context, last, to))._unsafeUnwrap();
      const commands = calls().map((call) => /(?:-c \S+ )+(\S+)/.exec(call)?.[1]);
      return { commands, files: files.map(({ path }) => path) };
    };
    return { project, look };
  };

  it("is two if nothing changed, also with uncommitted files, three if the base branch is missing, and five if files changed", async () => {
    const { project, look } = await start(true);
    expect(await look("main")).toEqual({ commands: ["rev-parse", "status"], files: [] });
    const withoutBase = { commands: ["rev-parse", "rev-parse", "status"], files: [] };
    expect(await look("origin/main")).toEqual(withoutBase);
    project.write({ "a.ts": "changed" });
    const commands = ["rev-parse", "status", "update-index", "write-tree", "diff-tree"];
    expect(await look("main")).toEqual({ commands, files: ["a.ts"] });
    const onMain = await start(false);
    expect(await onMain.look("origin/main")).toEqual(withoutBase);
  });
});

describe("a kept index", () => {
  it("gives the same snapshot as a new one after any change (G9, G20a)", async () => {
    const project = await GitProject.create({ "a.ts": "1", "b.ts": "2", "dir/c.ts": "3" });
    project.write({ "untracked/one.ts": "1", "untracked/two.ts": "2", "log.txt": "x" });
    const write = (files: Record<string, string>) => () => {
      project.write(files);
    };
    const steps: Record<string, () => void> = {
      nothing: () => undefined,
      "edits, a new file, a touch and a rename": () => {
        project.write({ "a.ts": "changed", "untracked/one.ts": "changed", "new.ts": "1" });
        utimesSync(project.at("b.ts"), LONG_AGO, LONG_AGO);
        renameSync(project.at("untracked/two.ts"), project.at("three.ts"));
      },
      "a link and a folder in place of files": () => {
        rmSync(project.at("new.ts"));
        symlinkSync("a.ts", project.at("new.ts"));
        rmSync(project.at("b.ts"));
        project.write({ "b.ts/inside.ts": "1" });
      },
      staging: () => project.git("add", "a.ts"),
      "a commit": () => project.commit("all"),
      "a mark that a file stays unchanged": () =>
        project.git("update-index", "--assume-unchanged", "dir/c.ts"),
      "an edit of that file": write({ "dir/c.ts": "changed" }),
      "a file that is ignored now": write({ "scratch.txt": "1" }),
      "an ignore file": write({ ".gitignore": "scratch.txt\n" }),
      "one that is gone": () => {
        rmSync(project.at(".gitignore"));
      },
      "a line to ignore of one's own": write({ ".git/info/exclude": "scratch.txt\n" }),
      "a setting": () => project.git("config", "core.fileMode", "false"),
      "a setting that makes git look at no file": () =>
        project.git("config", "core.ignoreStat", "true"),
      "an edit that git would not see": write({ "a.ts": "changed once more" }),
      attributes: write({ ".gitattributes": "* text\n", "crlf.txt": "a\r\nb\r\n" }),
      "another branch": () => project.git("switch", "-qfc", "other", "HEAD~1"),
    };
    for (const [step, act] of Object.entries(steps)) {
      act();
      const id = await snapshot(project);
      expect([step, id]).toEqual([step, await fresh(project)]);
      expect([step, keptIndexes(project).length]).toEqual([step, 1]);
    }
  });

  it("is discarded if no ref holds its tree any more, since git may have collected it, and created again if git cannot read it; it supports two snapshots at the same time", async () => {
    const project = await GitProject.create();
    project.write({ "untracked.ts": "1" });
    const id = await snapshot(project);
    (await keepSnapshots(project.runtime, await open(project), []))._unsafeUnwrap();
    project.git("gc", "--quiet", "--prune=now");
    expect(await snapshot(project)).toBe(id);
    expect(project.git("show", `${id}:untracked.ts`)).toBe("1");

    const [kept = ""] = keptIndexes(project);
    project.write({ [`.git/${kept}`]: "garbage" });
    expect(await snapshot(project)).toBe(id);
    expect(statSync(project.at(`.git/${kept}`)).size).toBeGreaterThan(50);

    project.write({ "more.ts": "2" });
    const looks = await Promise.all([1, 2, 3].map(() => snapshot(project)));
    expect(new Set(looks)).toEqual(new Set([await fresh(project)]));
  });
});
