/**
 * Returns for `init` and `uninstall` whether the user trusts the hooks that would run in a project, and records trust
 * in them after the command has changed its own hooks (H31).
 */
import type { Result } from "neverthrow";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { isNothing, loadHookSettings, recordTrust } from "@/node/services/hooks/index";
import { findTrustStore, hookLoadOptions, loadWithRequest } from "@/wiring";

/** Returns whether the user has trusted everything that would run, or nothing would. */
export async function isTrusted({ runtime, projectDir, env, home }: InitPlace): Promise<boolean> {
  // Trust that comes from the environment is not a decision of the user.
  const place = { home, env: { ...env, MUX_HOOKS_TRUST: undefined } };
  const { trust } = await loadHookSettings(runtime, projectDir, hookLoadOptions(runtime, place));
  // A notice means that other hooks than these were trusted, which continue to run.
  return trust.trusted && trust.notice === undefined;
}

/** Records trust in what would run now. Returns the path of the record, or undefined if nothing would run. */
export async function trustAsWritten(
  place: InitPlace,
  now: Date
): Promise<Result<string, string> | undefined> {
  const { runtime, projectDir } = place;
  const { request } = await loadWithRequest(runtime, projectDir, place);
  if (request === undefined) return undefined;
  const store = await findTrustStore(runtime, place);
  if (store === undefined || isNothing(request.definitions)) return undefined;
  return (await recordTrust(store, request, now)).map(() => store.path);
}
