/** Everything that has a say in a workspace, in layer order: settings files, Claude's, and scripts (H3, H8, H9). */
import type { Diagnostic } from "@/common/diagnostics";
import type { Runtime } from "@/node/runtime/Runtime";
import { readScript } from "@/node/services/hooks/scriptHook";
import type { MachineView } from "@/node/services/hooks/settingsCache";
import {
  EMPTY_SETTINGS,
  type FoundHook,
  type ParsedSettings,
} from "@/node/services/hooks/settingsFile";
import { mergeValues, type SettingsSource } from "@/node/services/hooks/settingsMerge";
import {
  claudePaths,
  findFiles,
  findProjectFiles,
  findUserFiles,
  type FoundFile,
  type FoundScript,
  type UserPlace,
} from "@/node/services/hooks/settingsPaths";
import { readSettings } from "@/node/services/hooks/settingsRead";
import { stampOf } from "@/node/services/hooks/stampedCache";
import { HOOK_LAYERS } from "@/node/services/hooks/types";

export interface Workspace extends UserPlace {
  readonly runtime: Runtime;
  /** Absolute. */
  readonly projectDir: string;
  /** The machine of the user's files, which may be that of the workspace. */
  readonly host: MachineView;
  readonly project: MachineView;
}

export interface WorkspaceSources {
  /** In layer order. Without trust a project's wish for Claude's files does not count either (H31). */
  inOrder(trusted: boolean): readonly SettingsSource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A file with its place in the order. */
interface Slot {
  readonly layer: SettingsSource["layer"];
  readonly file: FoundFile;
  readonly read: () => Promise<SettingsSource>;
}

export async function findSources(workspace: Workspace): Promise<WorkspaceSources> {
  const { host, project, projectDir, runtime } = workspace;
  const [user, checkout] = await Promise.all([
    findUserFiles(host, workspace),
    findProjectFiles(project, projectDir),
  ]);
  const elsewhere = host === project ? undefined : runtime.label;
  const own = await readOnce([
    ...settingsSlot("user", host, user.settings),
    ...user.scripts.map((file) => scriptSlot("user", host, file, elsewhere)),
    ...settingsSlot("project", project, checkout.settings),
    ...settingsSlot("local", project, checkout.local),
    ...checkout.scripts.map((file) => scriptSlot("script", project, file)),
  ]);
  const imports = (trusted: boolean): boolean =>
    mergeValues(own.filter(({ layer }) => trusted || layer === "user")).importClaudeHooks === true;
  const claude = imports(true) || imports(false) ? await findClaudeSources(workspace) : [];
  return {
    inOrder: (trusted) => (imports(trusted) ? interleave(claude, own) : own),
    diagnostics: checkout.diagnostics,
  };
}

async function findClaudeSources(workspace: Workspace): Promise<SettingsSource[]> {
  const { host, project, home, projectDir } = workspace;
  const paths = claudePaths(home, projectDir);
  const [[user], [shared, local]] = await Promise.all([
    findFiles(host, [paths.user]),
    findFiles(project, [paths.project, paths.local]),
  ]);
  const sources = await readOnce([
    ...settingsSlot("user", host, user),
    ...settingsSlot("project", project, shared),
    ...settingsSlot("local", project, local),
  ]);
  return sources.map((source) => ({ ...source, settings: claudeHooks(source.settings) }));
}

/** Of Claude's files the hooks alone count, in Claude's dialect where they name no other. */
function claudeHooks({ hooks, diagnostics }: ParsedSettings): ParsedSettings {
  const spoken = hooks.map((hook): FoundHook => ({
    ...hook,
    handler: { dialect: "claude", ...hook.handler },
  }));
  return { ...EMPTY_SETTINGS, hooks: spoken, diagnostics };
}

/** A Claude file stands right before its Mux layer. */
function interleave(
  claude: readonly SettingsSource[],
  own: readonly SettingsSource[]
): SettingsSource[] {
  return HOOK_LAYERS.flatMap((layer) =>
    [...claude, ...own].filter((source) => source.layer === layer)
  );
}

function settingsSlot(
  layer: Slot["layer"],
  view: MachineView,
  file: FoundFile | undefined
): Slot[] {
  if (file === undefined) return [];
  const read = async (): Promise<SettingsSource> => ({
    layer,
    file: file.path,
    settings: await readSettings(view, file),
  });
  return [{ layer, file, read }];
}

function scriptSlot(
  layer: Slot["layer"],
  view: MachineView,
  file: FoundScript,
  elsewhere?: string
): Slot {
  const read = async (): Promise<SettingsSource> => ({
    layer,
    file: file.path,
    ...(await readScript(view, file, elsewhere)),
  });
  return { layer, file, read };
}

/** Reads each file once, by however many paths it stands in several layers; the lowest one has it (H3). */
async function readOnce(slots: readonly Slot[]): Promise<SettingsSource[]> {
  const seen = new Set<string>();
  const once = slots.filter(({ layer, file: { stat } }) => {
    // A folder or a machine that is out of reach is one problem, and not one for each of its files.
    const machine = layer === "user" ? "host" : "workspace";
    const key = stat.kind === "failed" ? `${machine} ${stat.failure.code}` : stampOf(stat);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return await Promise.all(once.map(({ read }) => read()));
}
