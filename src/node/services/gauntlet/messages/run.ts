/** Texts of a run: its notices, caveats and failures. */

export const INTERRUPTED = "the run was interrupted";

/** The message of a gate that was running when the time of the Stop hook ended (G27c). */
export function gateOverLimit(seconds: number): string {
  return `did not end within ${seconds} s, the time the Stop hook has`;
}

/** The same for a check that hangs. */
export function gateHangs(seconds: number, usual: number): string {
  return `${gateOverLimit(seconds)}; it usually ends within ${usual} s`;
}

/** @param unresolved the IDs of the unresolved gates */
export function stateRestored(logDir: string, unresolved: readonly string[]): string {
  return `the record of the last run is missing in ${logDir}; the copy in the git folder is used, with these unresolved gates: ${unresolved.join(", ")}`;
}

/** @param holder the process that holds the lock */
export function lockHeld(holder: string, path: string): string {
  return `${holder}; its lock is ${path}`;
}

/** The message of the gate `config` (G20a). */
export const CONFIG_BROKEN =
  "the gauntlet's configuration became invalid after this turn began; fix it";

/** The message of an unresolved gate whose folder or definition no longer exists (G18a). */
export const NO_LONGER_APPLIES =
  "was failing and no longer applies; its folder or its definition no longer exists: restore it, and fix the failure";

export function unstableFiles(files: readonly string[]): string {
  return `files that changed while the checks ran: ${files.join(", ")}`;
}
