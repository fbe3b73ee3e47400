/**
 * Loads a workspace's current settings: finds files, reads changed ones, applies trust and merges (H1 to H10, H31). For
 * a turn that has begun, it keeps the layers chosen then. Also hashes the programs of the project that hooks start, to
 * notice their changes (H7). Never rejects: problems become diagnostics, or `loadError`.
 */
import { createHash } from "node:crypto";
import { userHome } from "@/common/userHome";
import { posix } from "node:path";
import { fileDiagnostic } from "@/common/diagnostics";
import { describeError } from "@/common/errors";
import { DEFAULT_MAX_CONTINUATIONS, MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import { isNothing } from "@/node/services/hooks/settings/hookDefinitions";
import { noteDialects } from "@/node/services/hooks/settings/claudeHookHints";
import * as settings from "@/node/services/hooks/settings/readLayers";
import { namedProgram } from "@/node/services/hooks/shell/invokedPrograms";
import * as workspaces from "@/node/services/hooks/settings/cachedReads";
import { describeUnusedValues, mergeSettings } from "@/node/services/hooks/settings/mergeLayers";
import { listTrustItems } from "@/node/services/hooks/trust/trustItems";
import * as trustTypes from "@/node/services/hooks/trust/trustPolicy";
import type { ConfiguredHook, HookSettings } from "@/node/services/hooks/contract/types";
import { workspaceUnreachable } from "@/node/services/hooks/messages/shared";

/** Maximum number of hashed bytes. A larger file is identified by its size and its beginning. */
const MAX_HASHED_BYTES = 16 * MIB;

export interface LoadOptions {
  /** Environment that locates the user's settings (`XUM_ROOT`, `MUX_ROOT`); by default this process's own. */
  env?: Readonly<NodeJS.ProcessEnv>;
  /** The user's home folder; by default this process's own. */
  home?: string;
  /** Decides whether content of the checkout may run; by default the caller is trusted (H31). */
  trust?: trustTypes.TrustPolicy;
  /** The in-process hooks, whose default lists are the layer below all settings. */
  builtins?: BuiltinHooks;
}

/** Settings of a workspace without any configuration. */
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

/** The layers from which the settings are merged, with the trust decision. */
interface ChosenLayers {
  readonly user: settings.PresentLayers["user"];
  readonly checkout: settings.CheckoutLayers;
  readonly trust: trustTypes.TrustDecision;
}

/** The configuration at one point in time: the files as they are, the layers that count, and the merged settings. */
export interface LoadedHooks extends ChosenLayers {
  /** Absolute. */
  readonly projectDir: string;
  readonly present: Pick<settings.PresentLayers, "user" | "checkout">;
  readonly settings: HookSettings;
  /** SHA-256 of the project files that commands start, and the identities of folders of plugins, by path. */
  readonly programs: ReadonlyMap<string, string>;
}

export interface LoadRequest extends LoadOptions {
  readonly purpose?: trustTypes.TrustPurpose;
  /** Layers chosen when the turn began. They are not chosen anew, and only the user's layer may add to them (H7). */
  readonly chosen?: Omit<ChosenLayers, "user"> & Partial<ChosenLayers>;
}

/**
 * Loads the settings of a workspace. Never rejects: an unusable file is left out and reported in `diagnostics`. If
 * nothing has changed since the last call, it costs one `stat` call per machine and reads nothing (H7).
 */
export async function loadHookSettings(
  runtime: HookRuntime,
  projectDir: string,
  options: LoadOptions = {}
): Promise<HookSettings> {
  return (await loadHooks(runtime, projectDir, options)).settings;
}

/** Works like {@link loadHookSettings}, but also returns everything that the settings were made of. */
export async function loadHooks(
  runtime: HookRuntime,
  projectDir: string,
  request: LoadRequest = {}
): Promise<LoadedHooks> {
  try {
    return await load(runtime, posix.resolve(projectDir), request);
  } catch (thrown) {
    const message = `the hook settings could not be loaded: ${describeError(thrown)}`;
    return withLoadError(projectDir, message);
  }
}

async function load(
  runtime: HookRuntime,
  projectDir: string,
  {
    env = process.env,
    home = userHome(),
    trust: policy = trustTypes.trustEverything,
    builtins = new BuiltinHooks(),
    purpose = "look",
    chosen,
  }: LoadRequest
): Promise<LoadedHooks> {
  const { host, project } = workspaces.viewMachines(runtime, projectDir);
  const workspace = { runtime, projectDir, project, host, env, home, builtins };
  // A checkout without definitions is trusted without a record, so its plugins are not.
  const plugins = chosen?.trust.trusted === true && !isNothing(chosen.checkout.definitions);
  const { present, decided } =
    chosen === undefined
      ? await decideAndRead(workspace, policy, purpose)
      : {
          present: await settings.readLayers(workspace, { chosen: chosen.checkout, plugins }),
          decided: chosen,
        };
  const { lost } = project.files;
  // The user's own hooks would run on that machine too, so none runs (H33, H35).
  if (lost !== undefined) return withLoadError(projectDir, workspaceUnreachable(lost.message));
  const layers: ChosenLayers = { user: present.user, ...decided };
  const { checkout, trust } = layers;
  const merged = mergeTrusted(layers, trust.trusted, workspace);
  const programs = await hashPrograms(merged.hooks, project, projectDir);
  const dialects = await noteDialects(merged.hooks, project, workspace);
  project.close();
  host.close();
  const now = present.checkout.parts;
  const sources = settings.inLayerOrder(present.user, present.checkout, true);
  return {
    ...layers,
    projectDir,
    present,
    programs,
    settings: {
      ...merged,
      files: sources.map(({ file }) => file),
      diagnostics: [
        ...present.diagnostics,
        ...describeUnusedValues(sources),
        ...merged.diagnostics,
        ...dialects,
      ],
      trust: trust.trusted
        ? { trusted: true, notice: trust.notice, record: trust.record }
        : { trusted: false, message: trust.message },
      checkout: new Map(
        [...checkout.parts].map(([name, part]) => [name, { pinned: part, current: now.get(name) }])
      ),
    },
  };
}

/** Merges the layers of the user and those of the checkout, which count only with trust (H31). */
function mergeTrusted(
  { user, checkout }: Pick<ChosenLayers, "user" | "checkout">,
  trusted: boolean,
  { projectDir, builtins }: workspaces.Workspace
) {
  const options = { projectDir, trusted, builtins: builtins.defaults, parts: checkout.parts };
  return mergeSettings(settings.inLayerOrder(user, checkout, trusted), options);
}

type Decided = Omit<ChosenLayers, "user">;

/** Reads and chooses the layers. The plugins of the checkout are read only if it is trusted without them (H38). */
async function decideAndRead(
  workspace: workspaces.Workspace,
  policy: trustTypes.TrustPolicy,
  purpose: trustTypes.TrustPurpose
): Promise<{ present: settings.PresentLayers; decided: Decided }> {
  let present = await settings.readLayers(workspace, { plugins: false });
  if (present.checkout.claude.some(({ isUnread }) => isUnread)) {
    const decided = await choose(present, workspace, policy, "read");
    if (!decided.trust.trusted) return { present, decided };
    present = await settings.readLayers(workspace, { plugins: true });
  }
  const decided = await choose(present, workspace, policy, purpose);
  if (decided.checkout === present.checkout) return { present, decided };
  return {
    present: await settings.readLayers(workspace, { chosen: decided.checkout, plugins: true }),
    decided,
  };
}

async function choose(
  present: settings.PresentLayers,
  workspace: workspaces.Workspace,
  policy: trustTypes.TrustPolicy,
  purpose: trustTypes.TrustPurpose
): Promise<Decided> {
  const { projectDir, builtins } = workspace;
  const { checkout } = present;
  const { definitions } = checkout;
  const trust = await decide(policy, {
    projectDir,
    // Few decisions need them, and a clone can bring many long ones.
    get items() {
      return listTrustItems(mergeTrusted(present, true, workspace).hooks, checkout);
    },
    definitions,
    purpose,
  });
  // A checkout that brings no definitions needs no trust.
  if (!trust.trusted && isNothing(definitions)) return { checkout, trust: { trusted: true } };
  if (trust.instead === undefined) return { checkout, trust };
  return { checkout: await settings.recallLayers(trust.instead, projectDir, builtins), trust };
}

async function decide(
  policy: trustTypes.TrustPolicy,
  request: Parameters<trustTypes.TrustPolicy["decide"]>[0]
): Promise<trustTypes.TrustDecision> {
  try {
    return await policy.decide(request);
  } catch (thrown) {
    return {
      trusted: false,
      message: `the hooks of this project do not run, because its trust could not be checked: ${describeError(thrown)}`,
    };
  }
}

async function hashPrograms(
  hooks: readonly ConfiguredHook[],
  view: workspaces.MachineView,
  projectDir: string
): Promise<ReadonlyMap<string, string>> {
  const named = hooks.flatMap((hook) => namedProgram(hook, projectDir) ?? []);
  const folders = hooks.flatMap(({ fromProject, plugin }) =>
    fromProject && plugin ? [plugin.root] : []
  );
  const paths = [...new Set([...named, ...folders])];
  const { files, memory } = view;
  const stats = await view.stats.stat(paths);
  const hashes = new Map<string, string>();
  for (const [i, path] of paths.entries()) {
    const stat = stats[i];
    if (stat?.kind === "directory") hashes.set(path, `folder ${stat.identity}`);
    else if (stat !== undefined) hashes.set(path, stat.kind);
    if (stat?.kind !== "file") continue;
    const hash = await memory.hashes.get(path, stat, async () =>
      (await files.readFile(path, { maxBytes: MAX_HASHED_BYTES })).map((bytes) =>
        createHash("sha256").update(`${stat.size}\n`).update(bytes).digest("hex")
      )
    );
    // An unreadable file has a hash of its own, which changes once it can be read.
    hashes.set(path, hash.isOk() ? hash.value : `unreadable: ${hash.error.code}`);
  }
  return hashes;
}

function withLoadError(projectDir: string, message: string): LoadedHooks {
  const diagnostics = [fileDiagnostic("error", projectDir, message)];
  const layers = { user: settings.NO_LAYERS, checkout: settings.NO_LAYERS };
  return {
    ...layers,
    projectDir,
    present: layers,
    trust: { trusted: true },
    programs: new Map(),
    settings: { ...NO_SETTINGS, diagnostics, loadError: message },
  };
}
