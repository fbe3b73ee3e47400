/** Records the commit with which work on the base branch is compared (G20b). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { ensureStart } from "@/node/services/gauntlet/run/plan/openRunRepository";

export interface StartingCommitOptions {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Stores the starting commit in a ref if there is none yet. Never throws; after a failure the first run stores it. */
export async function recordStartingCommit({
  runtime,
  projectDir,
  env,
}: StartingCommitOptions): Promise<void> {
  const opened = await openRepository(runtime, projectDir, { baseBranch: "HEAD", env });
  if (opened.isOk()) await ensureStart(runtime, opened.value);
}
