import { ok, type Result } from "neverthrow";
import { isCi } from "@/node/services/gauntlet/change/base";
import type { GitFailure } from "@/node/services/gauntlet/change/git";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import { openRepository } from "@/node/services/gauntlet/change/repository";
import { withStartingPoint } from "@/node/services/gauntlet/run/changes/startingPoint";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

/** The repository, compared with the base that was asked for; else the pull request's, else the configured one (G7). */
export async function openForRun(
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
  const asked = baseBranch === undefined ? env : { ...env, GITHUB_BASE_REF: undefined };
  const opened = await openRepository(runtime, projectDir, {
    baseBranch: baseBranch ?? config.baseBranch,
    env: asked,
    ...(signal === undefined ? {} : { signal }),
  });
  if (opened.isErr() || baseBranch !== undefined || isCi(env)) return opened;
  return ok(await withStartingPoint(runtime, opened.value, record));
}
