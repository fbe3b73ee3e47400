/** The settings of a workspace as they are now: found, read where they changed, merged, and held to trust (H1 to H10, H31). */
import { homedir } from "node:os";
import { posix } from "node:path";
import { describeError } from "@/common/errors";
import { DEFAULT_MAX_CONTINUATIONS } from "@/common/limits";
import type { FileFailure, Runtime } from "@/node/runtime/Runtime";
import { BuiltinHooks } from "@/node/services/hooks/builtinHooks";
import { findCheckoutParts, withoutCheckoutParts } from "@/node/services/hooks/checkoutParts";
import { viewMachine } from "@/node/services/hooks/settingsCache";
import { mergeSettings, type SettingsSource } from "@/node/services/hooks/settingsMerge";
import { findSources, type Workspace } from "@/node/services/hooks/settingsSources";
import { requestTrust } from "@/node/services/hooks/trustDigest";
import {
  trustEverything,
  type TrustPolicy,
  type TrustRequest,
} from "@/node/services/hooks/trustPolicy";
import type { HookSettings, TrustState } from "@/node/services/hooks/types";

export interface LoadOptions {
  /** Says where the user's settings are (`XUM_ROOT`, `MUX_ROOT`); by default this process's own. */
  env?: Readonly<NodeJS.ProcessEnv>;
  /** The user's home folder; by default this process's own. */
  home?: string;
  /** Whether what came with the checkout may run; by default the caller is trusted (H31). */
  trust?: TrustPolicy;
  /** The in-process hooks: their default lists are the layer below all settings. */
  builtins?: BuiltinHooks;
}

/** Where nothing is configured. */
export const NO_SETTINGS: HookSettings = {
  disableAllHooks: false,
  maxContinuations: DEFAULT_MAX_CONTINUATIONS,
  hooks: [],
  skipped: [],
  passEnv: [],
  files: [],
  diagnostics: [],
  trust: { trusted: true },
  checkout: new Map(),
};

/**
 * Never rejects: whatever cannot be used is left out and stands in `diagnostics`. Where nothing has changed since
 * the last call it costs one `stat` call a machine and reads nothing (H7).
 */
export async function loadHookSettings(
  runtime: Runtime,
  projectDir: string,
  options: LoadOptions = {}
): Promise<HookSettings> {
  try {
    return await load(runtime, posix.resolve(projectDir), options);
  } catch (thrown) {
    return unloadable(projectDir, describeError(thrown));
  }
}

async function load(
  runtime: Runtime,
  projectDir: string,
  {
    env = process.env,
    home = homedir(),
    trust: policy = trustEverything,
    builtins = new BuiltinHooks(),
  }: LoadOptions
): Promise<HookSettings> {
  const project = viewMachine(runtime, projectDir);
  const host = runtime.host === runtime ? project : viewMachine(runtime.host, projectDir);
  const workspace: Workspace = { runtime, projectDir, project, host, env, home };
  const sources = await findSources(workspace);
  const merge = (trusted: boolean) =>
    mergeSettings(sources.inOrder(trusted), { projectDir, trusted, builtins: builtins.defaults });

  const wanted = merge(true);
  const parts = await findCheckoutParts(wanted, builtins, project, projectDir);
  const trust =
    [...parts.values()].some((part) => part !== undefined) ||
    sources.inOrder(true).some(saysSomething)
      ? await decide(policy, requestTrust({ hooks: wanted.hooks, parts }, project, projectDir))
      : ({ trusted: true } as const);
  const { lost } = project.files;
  if (lost !== undefined) return unreachable(projectDir, lost);
  const settings = trust.trusted ? wanted : withoutCheckoutParts(merge(false), parts);
  project.close();
  host.close();
  return {
    ...settings,
    diagnostics: [...sources.diagnostics, ...settings.diagnostics],
    trust,
    checkout: new Map([...parts].map(([name, part]) => [name, { counts: part, now: part }])),
  };
}

/** Whether a file of the checkout has a hook or sets a value: only then is there anything to trust. */
function saysSomething({ layer, settings }: SettingsSource): boolean {
  const { hooks, values } = settings;
  return layer !== "user" && (hooks.length > 0 || Object.keys(values).length > 0);
}

async function decide(policy: TrustPolicy, request: TrustRequest): Promise<TrustState> {
  try {
    return await policy.decide(request);
  } catch (thrown) {
    const message = `the hooks of this project do not run, because it could not be told whether it is trusted: ${describeError(thrown)}`;
    return { trusted: false, message };
  }
}

function unloadable(projectDir: string, problem: string): HookSettings {
  return unknown(projectDir, `the hook settings could not be loaded: ${problem}`);
}

/** Not even the user's own hooks: they run on that machine as well (H33, H35). */
function unreachable(projectDir: string, { message }: FileFailure): HookSettings {
  return unknown(projectDir, `no hook runs, since the workspace is out of reach: ${message}`);
}

function unknown(projectDir: string, message: string): HookSettings {
  const place = { file: projectDir, line: 1, column: 1, keyPath: "" };
  const diagnostics = [{ severity: "error" as const, ...place, message }];
  return { ...NO_SETTINGS, diagnostics, unknown: message };
}
