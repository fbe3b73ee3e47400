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
  return `${plural(failed, "failed attempt")} of this turn no longer ${failed === 1 ? "counts" : "count"}, because "turn-start" began a new turn at ${visible(at)}; if you sent no message then, the agent ran it`;
}

/** @param path a settings file of the agent host */
export function hookRemoved(path: string): string {
  return `the Stop hook was removed from ${path}, so the host may end without a check; to install it again, run "${ownCommand()} init"`;
}

/** The message of a postponed stop. */
export function postponedFor(agents: number): string {
  return `postponed, because the agent waits for ${plural(agents, "agent")} in the background; the changes are not verified yet`;
}

/** Shown at the start of the user's next turn. */
export const STILL_UNVERIFIED =
  "the last stop was postponed, and no stop followed; its changes were not verified";

/** Shown at the next stop, and at the start of the user's next turn, if a process was ended (G40). */
export const ENDED_BEFORE =
  "the last Stop hook was ended before it had answered, so the agent stopped without a check; if its host ended it at the host's time limit, raise that limit";

/** The message of a call for a stop that another hook has answered. */
export const ANSWERED_BY_OTHER_HOOK =
  "another hook of the gauntlet has answered this stop; the hook is installed more than once";

/** Appears at the retry limit. */
export function agentSaid(text: string): string {
  return `the agent's last message: ${text}`;
}

/** A caveat of a stop that owes no verdict. */
export function nothingOwed(gates: readonly string[]): string {
  return `nothing changed that was not checked before, and these gates fail: ${gates.join(", ")}`;
}

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

export function inFolder(path: string): string {
  return `in ${path}`;
}

function notChecked(count: number, where: string): string {
  const were = count === 1 ? "was" : "were";
  return `${were} not checked; run "${ownCommand()} run" ${where}`;
}

export function moreElsewhere(count: number): string {
  return `changes in ${plural(count, "other place")} were not checked`;
}

/** A warning about commits of the session, some of whose files differ from those that passed. */
export function uncommitted(files: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `the gates passed with changes that no commit has (${files.join(", ")}${more}), and the last commit was not checked without them; commit them, or run the gates again after "git stash"`;
}

/** Appears if the agent's last message names nothing that is unresolved (G38). */
export function withoutExplanation(text: string): string {
  return `the agent stopped without an explanation; ${agentSaid(text)}`;
}

/** A caveat of an approval within the interval. */
export const UNVERIFIED_CHANGES = "files changed since the last run and were not verified";

export function stopsNotCounted(why: string): string {
  return `the attempts of this turn cannot be counted, so the retry limit cannot be applied and this stop is allowed: ${why}`;
}

export const NO_GIT_FOLDER = "there is no .git folder";

/** A caveat of a stop in a project that had a configuration. */
export function configMissing(projectDir: string, file: string): string {
  return `gates failed earlier in ${projectDir}, and its ${file} no longer exists; restore it, or run "${ownCommand()} clean" to discard the failures`;
}

/** The message of the gate `config` if the configuration is missing in the turn in which a gate failed. */
export function configMissingInTurn(path: string): string {
  return `gates failed in this turn, and ${path} no longer exists; restore it`;
}

/** The message of the gate `config` if the configuration is invalid in the turn in which a gate failed. */
export function configInvalidInTurn(path: string, problems: string): string {
  return `gates failed in this turn, and ${path} is invalid; fix or restore it: ${problems}`;
}

/** Marks a line for the user as a message of the gauntlet. */
export function fromGauntlet(line: string): string {
  return `Gauntlet: ${line}`;
}

/** Appears if the connection to the workspace was lost after gates had failed. */
export function resultsUnknown(why: string): string {
  return `the results of the gates are unknown: ${why}`;
}

/**
 * The description of a command that needs the user's trust.
 *
 * @param what such as `check lint`
 */
export function trustedCommand(what: string, command: string): string {
  return `gauntlet ${what}: ${command}`;
}

/** The description of a key of a model that a check gets. */
export function trustedKey(name: string, key: string): string {
  return `gauntlet check ${name} gets ${key}`;
}

// Old definitions (G24a).

/** The explanation of a failed gate whose definition the agent changed. */
export function ofTurnsBeginning(): string {
  return "The definition of the turn's beginning ran. A change of it counts after the user trusts it.";
}

export function oldFormFailed(gates: readonly string[]): string {
  return `${gates.join(", ")} failed as you trusted it, but its definition has changed since, so the failure may not be the agent's; run "${ownCommand()} trust" to use the new definition`;
}
