import { expect, test } from "vitest";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { RunReporter } from "@/node/services/gauntlet/run/RunReporter";
import type { RunOptions, RunScope } from "@/node/services/gauntlet/run/runOptions";
import { runIdentity, shardIdentity } from "@/node/services/gauntlet/run/shards/shardIdentity";
import { gauntletConfig, openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

const config = gauntletConfig([]);
const jobs = [{ id: "check:.:a" }, { id: "check:.:b" }];
const of = { snapshot: "tree", config: config.digest, jobs: ["check:.:a", "check:.:b"] };

async function workContext(): Promise<GitContext> {
  const project = await GitProject.create();
  project.git("switch", "--quiet", "--create", "work");
  project.commit("work");
  return await openMain(project);
}

test("runIdentity names what the files are compared with (G10)", async () => {
  const context = await workContext();
  const identity = (scope?: RunScope) =>
    runIdentity(context, config, { snapshot: "tree", scope, jobs });
  expect(identity()).toEqual({ ...of, base: context.baseCommit });
  expect(identity({ kind: "uncommitted" })).toEqual({ ...of, base: context.head });
  expect(context.head).not.toBe(context.baseCommit);
  const commit = identity({ kind: "commit", commit: "HEAD~1" });
  expect(commit).toEqual({ ...of, base: "the parent of HEAD~1" });
});

test("runIdentity has no base if there is no commit (G10)", async () => {
  const context = await openMain(await GitProject.create({}));
  const identity = runIdentity(context, config, { snapshot: "tree", scope: undefined, jobs });
  expect(identity).toStrictEqual(of);
});

test("shardIdentity is empty for a run that is not a shard (G10)", async () => {
  const context = await workContext();
  const project = await GitProject.create();
  const identity = (more: Partial<RunOptions>) => {
    const options = { runtime: project.runtime, projectDir: project.dir, ...more };
    const reporter = new RunReporter(options);
    const given = { options, config, context, logDir: "/logs", env: {}, reporter };
    return shardIdentity({ ...given, now: () => new Date(), signal: undefined }, "tree", jobs);
  };
  expect(identity({})).toEqual({});
  const shard = { job: 1, jobTotal: 2 };
  expect(identity({ shard })).toEqual({
    shard: { ...shard, of: { ...of, base: context.baseCommit } },
  });
});
