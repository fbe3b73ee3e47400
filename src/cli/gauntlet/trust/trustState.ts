/** How much of a project is trusted, for commands that only report (G24a). */
import { areSame, readGates, readTrust } from "@/cli/gauntlet/trust/projectGates";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as messages from "@/cli/gauntlet/messages/trust";
import { skipsTrust } from "@/node/services/hooks/index";
import { findTrustStore, type UserPlace } from "@/wiring";

/** Returns why stops do not run the gates as the files define them, or undefined if they do. */
export async function whyNotAsInFiles(
  runtime: HookRuntime,
  dir: string,
  place: UserPlace
): Promise<string | undefined> {
  if (skipsTrust(place.env)) return undefined;
  const store = await findTrustStore(runtime, place);
  if (store === undefined) return messages.NO_RECORD;
  const trust = await readTrust(store, runtime, dir);
  if (trust.isErr()) return trust.error;
  const { sets, isRefused } = trust.value;
  if (isRefused) return messages.NEVER_TRUSTED;
  if (sets.length === 0) return messages.NOT_TRUSTED;
  const { files } = await readGates(runtime, dir);
  return sets.some((set) => areSame(set.files, files))
    ? undefined
    : ".gauntlet/ has changed since you trusted it, so stops run the gates as they were";
}
