/** What the parts of one run have in common, by which `merge` tells that they belong together. */
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { SharedRun } from "@/node/services/gauntlet/domain/resultPart";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { RunScope } from "@/node/services/gauntlet/run/runOptions";

type Jobs = readonly Pick<Job, "id">[];

/** @param jobs those of all parts */
export function sharedRun(
  context: GitContext,
  config: Pick<GauntletRunContext["config"], "digest">,
  { snapshot, scope, jobs }: { snapshot: string; scope: RunScope | undefined; jobs: Jobs }
): SharedRun {
  const base = startOf(context, scope);
  return {
    snapshot,
    ...(base === undefined ? {} : { base }),
    config: config.digest,
    jobs: jobs.map(({ id }) => id),
  };
}

/** What a result says of its part; nothing where the run is no part. */
export function partOfRun(
  { options: { part, scope }, context, config }: GauntletRunContext,
  snapshot: string,
  jobs: Jobs
): Pick<RunResult, "part"> {
  if (part === undefined) return {};
  return { part: { ...part, of: sharedRun(context, config, { snapshot, scope, jobs }) } };
}

function startOf({ baseCommit, head }: GitContext, scope: RunScope | undefined) {
  switch (scope?.kind) {
    case undefined:
      return baseCommit;
    case "uncommitted":
      return head;
    case "commit":
      return `the parent of ${scope.commit}`;
  }
}
