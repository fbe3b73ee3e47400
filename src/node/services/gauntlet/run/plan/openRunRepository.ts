import { ok, type Result } from "neverthrow";
import { isCi } from "@/common/isCi";
import type { GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { withStartingPoint } from "@/node/services/gauntlet/run/plan/startingPoint";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

/** Opens the repository with the requested base, or else the pull request's, or else the configured one (G7). */
export async function openRunRepository(
  {
    runtime,
    projectDir,
    baseBranch,
    env = process.env,
  }: Pick<RunOptions, "runtime" | "projectDir" | "baseBranch" | "env">,
  config: GauntletConfig,
  signal: AbortSignal | undefined,
  { record = true }: { readonly record?: boolean } = {}
): Promise<Result<GitContext, GitFailure>> {
  const baseEnv = baseBranch === undefined ? env : { ...env, GITHUB_BASE_REF: undefined };
  const opened = await openRepository(runtime, projectDir, {
    baseBranch: baseBranch ?? config.baseBranch,
    isDefaultBase: baseBranch === undefined && config.isDefaultBase,
    env: baseEnv,
    signal,
    mustExist: baseBranch !== undefined,
  });
  if (opened.isErr() || baseBranch !== undefined || isCi(env)) return opened;
  return ok(await withStartingPoint(runtime, opened.value, record));
}
