/**
 * The composition root: creates the runtime of this machine (except for commands that start fast), the built-in hooks
 * and the trust policy, and adds the built-ins to the entry points of the engine, which imports no gauntlet. Also finds
 * what a user has to trust, and the folder for their log and hints.
 */
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import type { BuiltinHook, InspectCheckout } from "@/node/services/hooks/contract/builtinRegistry";
import { loadEngine } from "@/node/services/hooks/loadEngine";
import type { RunStopHooksOptions } from "@/node/services/hooks/stopHookExecutor";
import type { UserPaths as UserPlace } from "@/node/services/hooks/settings/cachedReads";
import type * as hooks from "@/node/services/hooks/index";
import {
  BuiltinHooks,
  findMainProject,
  findUserRoot,
  StopHookController as HookController,
  loadHookSettings as readHookSettings,
  trustedAs,
  userTrust,
} from "@/node/services/hooks/index";
import type { LocalRuntimeOptions } from "@/node/runtime/local/BaseLocalRuntime";

export type { UserPlace };
export { findTrustedMain, findTrustStore, trustedAs } from "@/node/services/hooks/index";

/** Creates the runtime of a workspace on this machine, whose programs have `env` as their environment. */
export function createRuntime(
  env: Readonly<NodeJS.ProcessEnv>,
  how: Pick<LocalRuntimeOptions, "run"> = {}
): HookRuntime {
  return new LocalRuntime({ env, ...how });
}

/**
 * Creates the in-process hooks that settings may name, and those that run without any settings (H29). The code of the
 * gauntlet is loaded only for a project that has one.
 */
export function createBuiltins(place: Partial<UserPlace> = {}): BuiltinHooks {
  const gauntlet: BuiltinHook = async (context) => {
    const { checkout, runtime, projectDir } = context;
    const found = checkout ? checkout.pinned : await findGauntletProject(runtime, projectDir);
    if (found === undefined) return undefined;
    const { gauntletHook } = await import("@/node/services/gauntlet/hook/stopHook");
    return await gauntletHook(place)(context);
  };
  const inspect: InspectCheckout = async (files, projectDir) => {
    const dir = await findGauntletProject(files, projectDir);
    if (dir === undefined) return undefined;
    const { ConfigToTrust } = await import("@/node/services/gauntlet/hook/ConfigToTrust");
    return await ConfigToTrust.read(files, dir);
  };
  return new BuiltinHooks().register("gauntlet", gauntlet, {
    events: ["Stop"],
    timeout: GAUNTLET_TIMEOUT_S,
    inspect,
  });
}

const GAUNTLET_TIMEOUT_S = 300;

// The engine imports no gauntlet. These are its entry points with the built-ins of this package as the default (H29).

export async function runStopHooks(
  runtime: HookRuntime,
  projectDir: string,
  input: hooks.StopHookInput,
  options?: RunStopHooksOptions
): Promise<hooks.StopHooksResult> {
  const engine = await loadEngine();
  return await engine.runStopHooks(runtime, projectDir, input, withBuiltins(options));
}

export async function loadHookSettings(
  runtime: HookRuntime,
  projectDir: string,
  options?: hooks.LoadOptions
): Promise<hooks.HookSettings> {
  const engine = await loadEngine();
  return await engine.loadHookSettings(runtime, projectDir, withBuiltins(options));
}

export class StopHookController extends HookController {
  constructor(options: hooks.StopHookControllerOptions) {
    super(withBuiltins(options));
  }
}

function withBuiltins<T extends { builtins?: BuiltinHooks | undefined }>(options = {} as T): T {
  return { ...options, builtins: options.builtins ?? createBuiltins() };
}

interface HostedLoadOptions extends hooks.LoadOptions {
  readonly builtins: BuiltinHooks;
  readonly trust: hooks.TrustPolicy;
}

/** Returns the options for loading settings if a user decides what to trust (H31). */
export function hookLoadOptions(
  runtime: HookRuntime,
  place: UserPlace,
  how: hooks.TrustUse = {}
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
 * Loads the settings, and returns the definitions that the user would have to trust. `request` is absent if no hooks
 * would run.
 */
export async function loadWithRequest(
  runtime: HookRuntime,
  projectDir: string,
  place: UserPlace
): Promise<{ readonly settings: hooks.HookSettings; readonly request?: hooks.TrustRequest }> {
  let request: hooks.TrustRequest | undefined;
  const decide: hooks.TrustPolicy["decide"] = (found) => {
    request = found;
    return Promise.resolve({ trusted: true });
  };
  const load = { ...hookLoadOptions(runtime, place), trust: { decide } };
  return { settings: await readHookSettings(runtime, projectDir, load), request };
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
): Promise<hooks.PersonFiles | undefined> {
  const root = await findUserRoot(runtime.host, place);
  if (root === undefined) return undefined;
  const workspace = trustedAs(runtime, projectDir);
  const main = runtime.isRemote ? undefined : await findMainProject(runtime, projectDir);
  return { root, workspace, project: projectPath ?? main ?? workspace };
}
