/** Texts of a stop, apart from the messages of its statuses and the reason (G24 to G27). */
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";

/** A caveat of an approval without a check, after a failed stop. */
export const UNVERIFIED_FIX =
  "gates failed in this session, and the agent's changes since then were not verified";

/** A caveat of an approval without a check, after a postponed stop. */
export const POSTPONED_AND_UNVERIFIED =
  "an earlier stop was postponed, and the changes were not verified since then";

/** A caveat of the first stop of a session in which a variable turns the hook off. */
export const SESSION_UNVERIFIED = "the changes of this session are not verified";

/** The message of a stop with the variable of a gate, outside of all gates. */
export function markedWithoutGate(variable: string): string {
  return `turned off by ${variable}, which is set although no gate of the gauntlet runs this program`;
}

/** The retries began again while failed gates sent the agent back (G27a). */
export function attemptsReset(failed: number, at: string): string {
  return `the number of attempts begins anew after ${plural(failed, "failed attempt")}, because a message was sent at ${visible(at)}; if it was not from you, the agent ran "turn-start" itself`;
}

/** @param path a settings file of the agent host */
export function hookRemoved(path: string): string {
  return `the Stop hook was removed from ${path}, so the host may end without a check; to install it again, run "${ownCommand()} init"`;
}

/** The message of a postponed stop. */
export function postponedFor(agents: number): string {
  return `postponed, because the agent waits for ${plural(agents, "agent")} in the background; the changes are not verified yet`;
}

/** Shown at the next stop, and at the start of the user's next turn, if a process was ended (G40). */
export const ENDED_BEFORE =
  "the last Stop hook was ended before it had answered, so the agent stopped without a check; if its host ended it at the host's time limit, raise that limit";

/** The message of a call for a stop that another hook has answered. */
export const ANSWERED_BY_OTHER_HOOK =
  "another hook of the gauntlet has answered this stop; the hook is installed more than once";

// Work that the files of a stop do not have (G20e).

/**
 * @param place a branch or a commit
 * @param where {@link after} or {@link inFolder}
 */
export function commitsElsewhere(count: number, place: string, where: string): string {
  return `${plural(count, "commit")} on ${place} ${notChecked(count, where)}`;
}

export function stashElsewhere(entry: string): string {
  return `the changes in ${entry} ${notChecked(2, after(`git stash apply ${entry}`))}`;
}

export function worktreeElsewhere(path: string): string {
  return `the uncommitted changes in ${path} ${notChecked(2, "there")}`;
}

export function after(command: string): string {
  return `after "${command}"`;
}

function notChecked(count: number, where: string): string {
  const were = count === 1 ? "was" : "were";
  return `${were} not checked; run "${ownCommand()} run" ${where}`;
}

/** A warning about commits of the session, some of whose files differ from those that passed. */
export function uncommitted(files: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `the gates passed with changes that no commit has (${files.join(", ")}${more}), and the last commit was not checked without them; commit them, or run the gates again after "git stash"`;
}

export function stopsNotCounted(why: string): string {
  return `the attempts of this turn cannot be counted, so the retry limit cannot be applied and this stop is allowed: ${why}`;
}

/** Marks a line for the user as a message of the gauntlet. */
export function fromGauntlet(line: string): string {
  return `Gauntlet: ${line}`;
}
