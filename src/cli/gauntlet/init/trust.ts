/** What `init` writes at a person's hand is trusted as written; what was not trusted before stays so (H31). */
import type { Result } from "neverthrow";
import type { InitPlace } from "@/cli/gauntlet/init/hookPlan";
import {
  isNothing,
  loadHookSettings,
  recordTrust,
  type TrustRequest,
} from "@/node/services/hooks/index";
import { findTrustStore, hookLoadOptions } from "@/wiring";

/** Whether a person has trusted all that would run here, or nothing would. */
export async function isTrusted({ runtime, projectDir, env, home }: InitPlace): Promise<boolean> {
  // To be let through by the environment is no decision of a person's.
  const place = { home, env: { ...env, MUX_HOOKS_TRUST: undefined } };
  const { trust } = await loadHookSettings(runtime, projectDir, hookLoadOptions(runtime, place));
  // Where others than these were trusted, those go on to run.
  return trust.trusted && trust.notice === undefined;
}

/** Records trust in what would run now. Answers with the file of the record; nothing where nothing would run. */
export async function trustAsWritten(
  place: InitPlace,
  now: Date
): Promise<Result<string, string> | undefined> {
  const { runtime, projectDir } = place;
  let request: TrustRequest | undefined;
  await loadHookSettings(runtime, projectDir, {
    ...hookLoadOptions(runtime, place),
    trust: {
      decide: (asked) => {
        request = asked;
        return Promise.resolve({ trusted: true });
      },
    },
  });
  if (request === undefined) return undefined;
  const store = await findTrustStore(runtime, place);
  if (store === undefined || isNothing(request.definitions)) return undefined;
  return (await recordTrust(store, request, now)).map(() => store.path);
}
