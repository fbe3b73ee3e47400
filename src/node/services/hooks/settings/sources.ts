/** Reads the configuration of a workspace: settings files, Claude's files, scripts and built-in parts (H3, H8, H9). */
import { stampOf } from "@/node/services/hooks/contract/scriptStamp";
import { posix } from "node:path";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
import { readParts } from "@/node/services/hooks/settings/builtinInputs";
import { NO_DEFINITIONS, type Definitions } from "@/node/services/hooks/settings/definitions";
import {
  definitionsOf,
  importsClaude,
  nameInCheckout,
  type CheckoutLayers,
  type Layers,
} from "@/node/services/hooks/settings/layers";
import { cachedReads } from "@/node/services/hooks/settings/cache/cachedReads";
import { readScript } from "@/node/services/hooks/settings/scriptHooks";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import {
  EMPTY_SETTINGS,
  type FoundHook,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import {
  claudePaths,
  findFiles,
  findProjectFiles,
  findUserFiles,
  type FoundFile,
  type FoundScript,
  type UserPaths,
} from "@/node/services/hooks/settings/paths";
import { readSettings } from "@/node/services/hooks/settings/readFile";
import { homeNotAbsolute } from "@/node/services/hooks/messages/settings";

export interface Workspace extends UserPaths {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** The machine of the user's files, which may be that of the workspace. */
  readonly host: MachineView;
  readonly project: MachineView;
  readonly builtins: BuiltinHooks;
}

/** The configuration as the files hold it now. */
export interface PresentLayers {
  readonly user: Layers & { readonly definitions: Definitions };
  readonly checkout: CheckoutLayers;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file with its layer and its reader. */
interface Slot {
  readonly layer: SettingsSource["layer"];
  readonly file: FoundFile;
  readonly read: () => Promise<SettingsSource>;
}

/**
 * Reads all layers of a workspace.
 *
 * @param chosen layers of the checkout that replace those of its files. Claude's files are also read if these import
 *   them.
 */
export async function readLayers(
  workspace: Workspace,
  chosen: Layers = { own: [], claude: [] }
): Promise<PresentLayers> {
  const { host, project, projectDir, runtime, home } = workspace;
  const [user, checkout] = await Promise.all([
    findUserFiles(host, workspace),
    findProjectFiles(project, projectDir),
  ]);
  const machine = runtime.isRemote ? runtime.label : undefined;
  const own = await readOnce([
    ...settingsSlot("user", host, user.settings),
    ...user.scripts.map((file) => scriptSlot("user", host, file, machine)),
    ...settingsSlot("project", project, checkout.settings),
    ...settingsSlot("local", project, checkout.local),
    ...checkout.scripts.map((file) => scriptSlot("script", project, file)),
  ]);
  const users = own.filter(isUsers);
  const isImported = [own, users, [...users, ...chosen.own]].some(importsClaude);
  const claude = isImported ? await readClaude(workspace) : [];
  const { parts, recorded } = await readParts(workspace.builtins, cachedReads(project), projectDir);
  const [mine, theirs] = [split(own, claude, isUsers), split(own, claude, isCheckouts)];
  return {
    user: {
      ...mine,
      definitions: { ...NO_DEFINITIONS, ...definitionsOf([...mine.own, ...mine.claude], (p) => p) },
    },
    checkout: {
      ...theirs,
      definitions: {
        ...definitionsOf(
          importsClaude(own) ? [...theirs.own, ...theirs.claude] : theirs.own,
          nameInCheckout
        ),
        builtins: recorded,
      },
      parts,
    },
    diagnostics: [
      ...(posix.isAbsolute(home) ? [] : [noHome(home, projectDir)]),
      ...checkout.diagnostics,
    ],
  };
}

function isUsers({ layer }: SettingsSource): boolean {
  return layer === "user";
}

function isCheckouts(source: SettingsSource): boolean {
  return !isUsers(source);
}

function split(
  own: readonly SettingsSource[],
  claude: readonly SettingsSource[],
  belongs: (source: SettingsSource) => boolean
): Layers {
  return { own: own.filter(belongs), claude: claude.filter(belongs) };
}

function noHome(home: string, file: string): Diagnostic {
  return fileDiagnostic("warning", file, homeNotAbsolute(home));
}

async function readClaude(workspace: Workspace): Promise<SettingsSource[]> {
  const { host, project, home, projectDir } = workspace;
  const paths = claudePaths(home, projectDir);
  const [users, [shared, local]] = await Promise.all([
    posix.isAbsolute(home) ? findFiles(host, [paths.user]) : [],
    findFiles(project, [paths.project, paths.local]),
  ]);
  const sources = await readOnce([
    ...settingsSlot("user", host, users[0]),
    ...settingsSlot("project", project, shared),
    ...settingsSlot("local", project, local),
  ]);
  return sources.map((source) => ({ ...source, settings: claudeHooks(source.settings) }));
}
/** Reduces Claude's settings to their hooks, in the claude dialect unless they name another. */
function claudeHooks({ hooks, diagnostics }: ParsedSettings): ParsedSettings {
  const translated = hooks.map((hook): FoundHook => ({
    ...hook,
    handler: { dialect: "claude", ...hook.handler },
  }));
  return { ...EMPTY_SETTINGS, hooks: translated, diagnostics };
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
  machine?: string
): Slot {
  const read = async (): Promise<SettingsSource> => ({
    layer,
    file: file.path,
    ...(await readScript(view, file, machine)),
  });
  return { layer, file, read };
}

/** Reads each file once, even if several layers reach it by different paths. It belongs to the lowest layer (H3). */
async function readOnce(slots: readonly Slot[]): Promise<SettingsSource[]> {
  const seen = new Set<string>();
  const once = slots.filter(({ layer, file: { path, stat } }) => {
    // A folder or a machine that cannot be reached is one problem, not one per file. A dangling link is one per file.
    const machine = layer === "user" ? "host" : "workspace";
    const place = stat.kind === "failed" && stat.failure.code === "ENOENT" ? path : machine;
    const key = stat.kind === "failed" ? `${place} ${stat.failure.code}` : stampOf(stat);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return await Promise.all(once.map(({ read }) => read()));
}
