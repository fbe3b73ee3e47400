/**
 * Messages about the runs of hooks. They follow the name of the hook, as in `project:Stop[0] (./check.sh): killed by
 * SIGSEGV`. Notes are for the record only.
 */

// How a run ended.

export function endUnknown(problem: string): string {
  return `ended with an unknown result: ${problem}`;
}

export function notStarted(problem: string): string {
  return `could not be started: ${problem}`;
}

/** @param stderrLine the first line of standard error; may be empty */
export function failedWithExitCode(code: number, stderrLine: string): string {
  return `failed with exit code ${code}${stderrLine === "" ? "" : `: ${stderrLine}`}`;
}

/** An exception of the handler or of the engine. */
export function handlerFailed(problem: string): string {
  return `failed: ${problem}`;
}

/**
 * For the agent, if a hook with `failClosed: true` has failed.
 *
 * @param hook name and title
 * @param problems the warnings of the run
 */
export function failureBlocks(hook: string, problems: string): string {
  return `The hook ${hook} failed, so it is not known whether the work is done, and its settings do not allow a stop in that case (failClosed): ${problems}. If the cause is in your work, fix it. Otherwise report the failure to the user.`;
}

// Preparation of a run.

/** No hook runs, because all of them would run on the workspace's machine. */
export function workspaceUnreachable(problem: string): string {
  return `no hook runs, because the workspace cannot be reached: ${problem}`;
}
