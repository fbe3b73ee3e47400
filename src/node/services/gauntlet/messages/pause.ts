/** Texts of a pause (G42). */
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";

export const UNVERIFIED_IN_PAUSE = "the changes were not verified";

export const PAUSED_IN_TURN =
  "a pause was made during this turn, by you or by the agent; it counts from your next message";

/** The end of a pause, and its reason. */
interface PauseFacts {
  readonly until?: string;
  readonly turns: number;
  readonly seen: readonly string[];
  readonly reason?: string;
}

/** Completes "turned off by". */
export function pausedBy(pause: PauseFacts): string {
  return `"${ownCommand()} pause" ${describePause(pause)}; to end the pause, run "${ownCommand()} resume"`;
}

export function describePause({ until, turns, seen, reason }: PauseFacts): string {
  const why = reason === undefined ? "" : ` (reason: ${visible(reason)})`;
  const end = until === undefined ? describeTurns(turns, seen.length) : `until ${until}`;
  return `${end}${why}`;
}

function describeTurns(turns: number, begun: number): string {
  if (begun === 0) return `for ${plural(turns, "turn")}`;
  const left = turns - begun;
  return left <= 0 ? "until the next turn" : `for this and ${plural(left, "more turn")}`;
}
