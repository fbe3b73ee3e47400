/**
 * The trust policy of hosts and programs (H31): the hooks in the user's trust record may run. `MUX_HOOKS_TRUST=always`
 * skips the record, but is refused with a message if the project itself sets it. Also finds the record, and the name of
 * a project in it.
 */
import { folderUrl } from "@/common/ownCommandName";
import { userHome } from "@/common/userHome";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isNothing } from "@/node/services/hooks/settings/hookDefinitions";
import { findOwningCheckout, findUserRoot } from "@/node/services/hooks/settings/findFiles";
import type { UserPaths } from "@/node/services/hooks/settings/cachedReads";
import { trustStorePath, type TrustStore } from "@/node/services/hooks/trust/trustRecord";
import { storedTrust, type StoredTrustOptions } from "@/node/services/hooks/trust/trustDecisions";
import type * as trustTypes from "@/node/services/hooks/trust/trustPolicy";
import { refuseVariable, skipsTrust } from "@/node/services/hooks/trust/trustVariable";

/** How a host or a program uses the record. */
export interface TrustUse extends Omit<StoredTrustOptions, "env" | keyof TrustStore> {
  /** Whether `MUX_HOOKS_TRUST=always` causes a notice, which hosts show once per session (G25a). */
  readonly namesVariable?: boolean;
}

/** Returns the policy: only definitions that the user has recorded run, unless `MUX_HOOKS_TRUST=always` counts. */
export function userTrust(
  runtime: HookRuntime,
  place: Partial<UserPaths> = {},
  { namesVariable = false, ...how }: TrustUse = {}
): trustTypes.TrustPolicy {
  const { env = process.env, home = userHome() } = place;
  const decide: trustTypes.TrustPolicy["decide"] = async (request) => {
    const store = await findTrustStore(runtime, { env, home });
    if (store === undefined) return NO_RECORD;
    const findProject = () => findTrustedMain(runtime, request.projectDir);
    // A host that records first has a trust of its own in each worktree.
    const options = how.recordsFirst === true ? {} : { findProject };
    const trust = storedTrust({ ...store, env: {}, ...options, ...how });
    return await trust.decide({ ...request, projectDir: trustedAs(runtime, request.projectDir) });
  };
  return {
    decide: async (request) => {
      if (!skipsTrust(env)) return await decide(request);
      if (isNothing(request.definitions)) return { trusted: true };
      const refusal = await refuseVariable(runtime, request.projectDir);
      if (refusal === undefined) return { trusted: true, ...(namesVariable && { notice: NAMED }) };
      const decision = await decide(request);
      if (!decision.trusted) return { ...decision, message: `${refusal}; ${decision.message}` };
      const { notice } = decision;
      return { ...decision, notice: notice === undefined ? refusal : `${refusal}; ${notice}` };
    },
  };
}

const NAMED =
  "MUX_HOOKS_TRUST=always is set, so the hooks and gates of this project run without your trust, and changes of them count from your next message";

const NO_RECORD: trustTypes.TrustDecision = {
  trusted: false,
  message:
    "the hooks of this project do not run: without an absolute HOME there is no record of what is trusted; set HOME",
};

/** Returns the name of a project in the trust store: a URL if the project is on another machine. */
export function trustedAs(runtime: HookRuntime, projectDir: string): string {
  return runtime.isRemote ? folderUrl(runtime.label, projectDir) : projectDir;
}

/** Returns the user's trust store, or undefined without an absolute home (H31). */
export async function findTrustStore(
  runtime: HookRuntime,
  place: UserPaths
): Promise<TrustStore | undefined> {
  const root = await findUserRoot(runtime.host, place);
  return root === undefined ? undefined : { files: runtime.host, path: trustStorePath(root) };
}

/** Returns the name in the trust store of the main checkout whose trust a linked worktree has. */
export async function findTrustedMain(
  runtime: HookRuntime,
  projectDir: string
): Promise<string | undefined> {
  const main = await findOwningCheckout(runtime, projectDir);
  return main === undefined ? undefined : trustedAs(runtime, main);
}
