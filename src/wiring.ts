/** The composition root: selects the runtime, the built-in hooks and the trust policy of a host. */
import { LocalRuntime, type LocalRuntimeOptions } from "@/node/runtime/local/LocalRuntime";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { gauntletHook, inspectGauntlet } from "@/node/services/gauntlet/hook/stopHook";
import {
  BuiltinHooks,
  findMainProject,
  findUserRoot,
  trustedAs,
  userTrust,
  type LoadOptions,
  type PersonFiles,
  type StoredTrustOptions,
  type TrustPolicy,
} from "@/node/services/hooks/index";

export { findTrustedMain, findTrustStore, trustedAs } from "@/node/services/hooks/index";

/** The user's home and environment, as far as a host knows them. */
export interface UserPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Absolute. */
  readonly home: string;
}

/** Creates the runtime of a workspace on this machine, whose programs have `env` as their environment. */
export function createRuntime(
  env: Readonly<NodeJS.ProcessEnv>,
  how: Pick<LocalRuntimeOptions, "run"> = {}
): HookRuntime {
  return new LocalRuntime({ env, ...how });
}

/** Creates the in-process hooks that settings may name, and those that run without any settings (H29). */
export function createBuiltins(place: Partial<UserPlace> = {}): BuiltinHooks {
  return new BuiltinHooks().register("gauntlet", gauntletHook(place), {
    events: ["Stop"],
    timeout: GAUNTLET_TIMEOUT_S,
    inspect: inspectGauntlet,
  });
}

const GAUNTLET_TIMEOUT_S = 300;

interface HostedLoadOptions extends LoadOptions {
  readonly builtins: BuiltinHooks;
  readonly trust: TrustPolicy;
}

/** Returns the options for loading settings if a user decides what to trust (H31). */
export function hookLoadOptions(
  runtime: HookRuntime,
  place: UserPlace,
  how: Pick<StoredTrustOptions, "findProject" | "recordsFirst"> = {}
): HostedLoadOptions {
  const { env, home } = place;
  return {
    env,
    home,
    builtins: createBuiltins(place),
    trust: userTrust(runtime, place, how),
  };
}

/**
 * Returns the user's folder for the log and the hints of a workspace, or undefined without an absolute home (H46, H47).
 *
 * @param projectPath the project of the workspace, if the host knows it
 */
export async function findPersonFiles(
  runtime: HookRuntime,
  place: UserPlace,
  projectDir: string,
  projectPath?: string
): Promise<PersonFiles | undefined> {
  const root = await findUserRoot(runtime.host, place);
  if (root === undefined) return undefined;
  const workspace = trustedAs(runtime, projectDir);
  const main = runtime.isRemote ? undefined : await findMainProject(runtime, projectDir);
  return { root, workspace, project: projectPath ?? main ?? workspace };
}
