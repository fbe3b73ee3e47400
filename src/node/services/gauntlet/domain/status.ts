/** The status that the executor, the hook, the commands and the report share (G2, G3). */

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

/** Returns whether a command ends with exit code 0. */
export function isSuccessStatus(status: GauntletStatus): boolean {
  switch (status) {
    case "passed":
    case "passed_with_warnings":
    case "no_applicable_gates":
    case "no_changes":
      return true;
    default:
      return false;
  }
}
