import { existsSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { planJobs, type DetectOptions } from "@/node/services/gauntlet/run/plan/previewJobs";
import { NO_STATE, writeState } from "@/node/services/gauntlet/state/executionState";
import { checkGate, gauntletConfig } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

const entryPoints = [
  { path: "src", exclude: [], gates: [checkGate("lint"), checkGate("ci", { runLocally: false })] },
  { path: "docs", exclude: [], gates: [checkGate("links")] },
];
const config = gauntletConfig([], { entryPoints });

/** A project on a branch with one commit, which changes `src`. */
const project = await GitProject.create({ "src/a.ts": "1", "docs/a.md": "1" });
const base = project.git("rev-parse", "HEAD");
project.git("switch", "--quiet", "--create", "work");
const head = project.commit("work", { "src/a.ts": "2" });

async function plan(more: Partial<DetectOptions> = {}, { runtime, dir } = project) {
  return await planJobs({ runtime, projectDir: dir, env: {}, ...more }, config);
}

async function jobIds(...given: Parameters<typeof plan>): Promise<string[]> {
  return (await plan(...given))._unsafeUnwrap().jobs.map(({ id }) => id);
}

describe("planJobs (G10)", () => {
  test("selects gates that run in this environment", async () => {
    expect(await jobIds({ env: { CI: "1" } })).toEqual(["check:src:lint", "check:src:ci"]);
  });

  test("uses nothing that earlier runs left, and writes no log and no ref (G30b)", async () => {
    const logDir = project.at("gauntlet_logs");
    expect(await jobIds()).toEqual(["check:src:lint"]);
    expect(existsSync(logDir)).toBe(false);
    const open = { ...NO_STATE, open: ["check:docs:links"] };
    (await writeState(project.runtime, logDir, open))._unsafeUnwrap();
    expect(await jobIds()).toEqual(["check:src:lint"]);
    rmSync(logDir, { recursive: true });
    // A start record would look like an earlier use of the gates (G24a).
    expect(project.git("for-each-ref", "refs/worktree")).toBe("");
  });

  test("fails outside of a repository, and for a commit that does not exist", async () => {
    const outside = new GitProject(await tempDir());
    const failure = (await plan({}, outside))._unsafeUnwrapErr();
    expect(failure.message).toContain("is not in a git repository");
    const scope = { kind: "commit", commit: "nope" } as const;
    const unknown = (await plan({ scope }))._unsafeUnwrapErr();
    expect(unknown.message).toContain('there is no commit "nope"');
  });

  test("returns the jobs of what changed since the base, and what all shards share", async () => {
    project.write({ "docs/new.md": "1" });
    const { of, jobs, warnings } = (await plan())._unsafeUnwrap();
    project.git("add", "--all");
    expect(of).toEqual({
      snapshot: project.git("write-tree"),
      base,
      config: config.digest,
      jobs: ["check:src:lint", "check:docs:links"],
    });
    expect(jobs.map(({ id, logName }) => [id, logName])).toEqual([
      ["check:src:lint", "src_lint"],
      ["check:docs:links", "docs_links"],
    ]);
    expect(warnings).toEqual([]);
  });

  test("selects by the given scope", async () => {
    project.write({ "docs/new.md": "1" });
    const uncommitted = { scope: { kind: "uncommitted" } } as const;
    expect(await jobIds(uncommitted)).toEqual(["check:docs:links"]);
    expect((await plan(uncommitted))._unsafeUnwrap().of.base).toBe(head);
    const commit = { scope: { kind: "commit", commit: "HEAD" } } as const;
    const { of } = (await plan(commit))._unsafeUnwrap();
    expect(of).toMatchObject({ jobs: ["check:src:lint"], base: "the parent of HEAD" });
  });
});
