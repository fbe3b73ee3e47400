/** Decides whether the fixes of a run may change files (G35). */
import { posix } from "node:path";
import { isCi } from "@/common/isCi";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import { isCheckJob, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";

export type FixJob = CheckJob & { readonly gate: { readonly fix: string } };

/** Returns the jobs with a fix, in the order of the configuration. */
export function fixJobs(jobs: readonly Job[]): FixJob[] {
  return jobs.filter((job): job is FixJob => isCheckJob(job) && job.gate.fix !== undefined);
}

/** Returns whether the run is one that may fix: requested, of the working tree, and with a valid configuration. */
export function wantsFixes({ options }: Pick<GauntletRunContext, "options">): boolean {
  const { fix, scope, shard, configProblem } = options;
  const isOfTree = scope?.kind !== "commit" && shard === undefined;
  return fix === true && isOfTree && configProblem === undefined;
}

/** Returns why no fix may run now, or undefined. Costs one look at the git folder. */
export async function whyNoFix({
  options,
  context,
  env,
}: Pick<GauntletRunContext, "options" | "context" | "env">): Promise<string | undefined> {
  if (isCi(env)) return "no fix was run, because this is a CI run";
  const operations = Object.entries(OPERATIONS);
  const stats = await options.runtime.stat(
    operations.map(([name]) => posix.join(context.gitDir, name))
  );
  const running = operations.find((_, i) => stats[i]?.kind !== "missing");
  return running === undefined
    ? undefined
    : `no fix was run, because a ${running[1]} is in progress; finish or abort it first`;
}

/** Names in the git folder that exist during an operation of git. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: "merge",
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisect",
};
