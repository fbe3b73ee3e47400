/** A stop in a pause that a person made (G42). */
import { ownCommand } from "@/common/ownCommand";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { describePause } from "@/node/services/gauntlet/messages/shared";
import { turnedOffBy } from "@/node/services/gauntlet/messages/status";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { SkippedGates } from "@/node/services/gauntlet/run/runOptions";
import { pauseIn } from "@/node/services/gauntlet/turn/pause";
import type { StopSession } from "@/node/services/gauntlet/turn/StopSession";
import { hashKey, type TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/**
 * Returns the result of a stop in a pause, or undefined if there is none. A pause that was made after the turn began counts
 * later. A pause of some gates returns these. Removes a pause that is over.
 */
export async function pausedStop(
  store: TurnStore,
  projectDir: string,
  session: StopSession,
  { now, began }: { readonly now: Date; readonly began: string | undefined }
): Promise<RunResult | SkippedGates | "later" | undefined> {
  const pause = await store.read("pauses", hashKey(projectDir));
  if (pause === undefined) return undefined;
  // An agent may have made it.
  if (Date.parse(pause.since) >= Date.parse(began ?? "")) return "later";
  const { session: key, turn } = session.count;
  const after = pauseIn(pause, `${key} ${turn}`, now);
  if (after === undefined) {
    await store.remove("pauses", hashKey(projectDir));
    return undefined;
  }
  if (after.until === undefined) {
    // The next stop of this turn must have the same turn, and a turn that is not recorded would not be counted.
    await session.update({});
    if (after !== pause && (await store.write("pauses", hashKey(projectDir), after)).isErr()) {
      return undefined;
    }
  }
  if (after.gates !== undefined) return { names: after.gates, why: describePause(after) };
  return createResult("stop_hook_disabled", {
    errorMessage: turnedOffBy(
      `"${ownCommand()} pause" ${describePause(after)}; to end the pause, run "${ownCommand()} resume"`
    ),
    caveat: "the changes were not verified",
  });
}
