/** The message of each status (G25). Code that returns before a run loads this file, so it has few other texts. */
import { ownCommand } from "@/common/ownCommand";

export const ALL_PASSED = "all gates passed";

export const NO_GATES_MATCH = "no gates match the changed files";

export const NO_CONFIG = "not a gauntlet-enabled project: there is no .gauntlet/config.yml";

export function startOver(): string {
  return `to start over, send a new message or run "${ownCommand()} clean"`;
}

/** @param by the setting that disables the Stop hook */
export function turnedOffBy(by = "the configuration"): string {
  return `turned off by ${by}`;
}
