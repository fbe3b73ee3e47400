/**
 * Lists the statuses of a run or a stop, and determines which send the agent back to work and which give a command the
 * exit code 0 (G2, G3).
 */

export const GAUNTLET_STATUSES = [
  "passed",
  "passed_with_warnings",
  "no_applicable_gates",
  "no_changes",
  "failed",
  "retry_limit_exceeded",
  "lock_exists",
  "infrastructure_error",
  "error",
  "no_config",
  "stop_hook_active",
  "stop_hook_disabled",
  "interval_not_elapsed",
  "postponed",
  "invalid_input",
] as const;
export type GauntletStatus = (typeof GAUNTLET_STATUSES)[number];

/** Returns whether an agent that tries to stop is sent back to work. */
export function isBlockingStatus(status: GauntletStatus): boolean {
  return status === "failed";
}

const SUCCESSES: readonly GauntletStatus[] = [
  "passed",
  "passed_with_warnings",
  "no_applicable_gates",
  "no_changes",
];

/** Returns whether a command ends with exit code 0. */
export function isSuccessStatus(status: GauntletStatus): boolean {
  return SUCCESSES.includes(status);
}
