/** Why failures are not recorded (G44). Each completes "NAME fails, but its failures are not recorded: …". */
export const NO_COMMIT = "the repository has no commit yet; failures are recorded for a commit";
export const TIME_LIMIT = "it reached its time limit, so it is unknown what else would fail";
export const SKIPPED = "it was skipped";
export const TOO_MANY = "it has more problems than are read";
export const NOTHING_PASSED =
  "no test passed, so it probably cannot run here; make it run, then record again";
export const NO_COUNT = "the number of its tests is unknown";
export const NO_OUTPUT = "it printed nothing by which its failure could be recognized";
export const NOT_TWICE = "it failed only once in two runs";
export const TOO_LONG = "its output is too long to be compared";

/** @param why such as `"&&" ends it` */
export function endsEarly(why: string): string {
  return `its command ends at its first failure (${why}), so others may be hidden; make its parts checks of their own`;
}

export function locked(why: string): string {
  return `another gauntlet is running (${why}); try again when it has ended`;
}

export function workInProgress(why: string): string {
  return `the working tree differs from HEAD, and a temporary worktree could not be made: ${why}; commit or stash your work, then record again`;
}

export function exitCode(code: number): string {
  return `it exits with ${code}, because a program cannot be found or started`;
}

export function cannotWorkHere(what: string, line: string): string {
  return `${what}: ${line}`;
}

export function exitCodesDiffer(first: number, second: number | undefined): string {
  return `it exited with ${first}, then with ${second ?? "a signal"}`;
}

export function linesDiffer(line: string): string {
  return `its output differs between two runs: ${line}`;
}
