/** The commit that work on the base branch is compared with (G20b). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { ensureStart } from "@/node/services/gauntlet/run/changes/startingPoint";

export interface StartingCommitOptions {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Holds the starting commit by a ref where none is held yet. Never throws; a failure leaves it to the first run. */
export async function recordStartingCommit({
  runtime,
  projectDir,
  env,
}: StartingCommitOptions): Promise<void> {
  const opened = await openRepository(runtime, projectDir, { baseBranch: "HEAD", env });
  if (opened.isOk()) await ensureStart(runtime, opened.value);
}
