/** The composition root: the one place that knows which parts a host of hooks is made of. */
import { LocalRuntime, type LocalRuntimeOptions } from "@/node/runtime/local/LocalRuntime";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { gauntletHook, inspectGauntlet } from "@/node/services/gauntlet/hook/stopHook";
import {
  BuiltinHooks,
  findUserRoot,
  storedTrust,
  trustStorePath,
  type LoadOptions,
  type StoredTrustOptions,
  type TrustDecision,
  type TrustStore,
} from "@/node/services/hooks/index";

/** What a host knows of its user. */
export interface UserPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Absolute. */
  readonly home: string;
}

/** A workspace on this machine, whose programs find `env` in their environment. */
export function createRuntime(
  env: Readonly<NodeJS.ProcessEnv>,
  how: Pick<LocalRuntimeOptions, "run"> = {}
): HookRuntime {
  return new LocalRuntime({ env, ...how });
}

/** The in-process hooks that settings may name, and those that run without any settings (H29). */
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
}

/** How settings are loaded where a person decides what to trust (H31). */
export function hookLoadOptions(
  runtime: HookRuntime,
  place: UserPlace,
  how: Pick<StoredTrustOptions, "projectPath" | "recordsFirst"> = {}
): HostedLoadOptions {
  const { env, home } = place;
  return {
    env,
    home,
    builtins: createBuiltins(place),
    trust: {
      decide: async (request) => {
        const store = await findTrustStore(runtime, place);
        const projectDir = trustedAs(runtime, request.projectDir);
        if (store === undefined) return env.MUX_HOOKS_TRUST === "always" ? ALWAYS : NO_RECORD;
        return await storedTrust({ ...store, env, ...how }).decide({ ...request, projectDir });
      },
    },
  };
}

const ALWAYS: TrustDecision = { trusted: true };
const NO_RECORD: TrustDecision = {
  trusted: false,
  message:
    "the hooks of this project do not run: without an absolute HOME there is no record of what is trusted; set HOME",
};

/** The name of a project in the record of what is trusted: a URL where it is on another machine. */
export function trustedAs(runtime: HookRuntime, projectDir: string): string {
  if (!runtime.isRemote) return projectDir;
  return `${runtime.label}${projectDir.split("/").map(encodeURIComponent).join("/")}`;
}

/** Where this user's trust is recorded; nowhere without an absolute home (H31). */
export async function findTrustStore(
  runtime: HookRuntime,
  place: UserPlace
): Promise<TrustStore | undefined> {
  const root = await findUserRoot(runtime.host, place);
  if (root === undefined) return undefined;
  return { files: runtime.host, path: trustStorePath(root) };
}
