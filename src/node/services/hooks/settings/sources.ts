/** Reads the configuration of a workspace: settings files, Claude's files, scripts and built-in parts (H3, H8, H9). */
import { posix } from "node:path";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
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
import { readClaude } from "@/node/services/hooks/settings/claude/readClaude";
import type { FoundPlugins } from "@/node/services/hooks/settings/claude/readPlugins";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { findProjectFiles, findUserFiles } from "@/node/services/hooks/settings/paths";
import type { Workspace } from "@/node/services/hooks/settings/workspace";
import { readOnce, scriptSlot, settingsSlot } from "@/node/services/hooks/settings/slots";
import { homeNotAbsolute } from "@/node/services/hooks/messages/settings";

/** The configuration as the files hold it now. */
export interface PresentLayers {
  readonly user: Layers & { readonly definitions: Definitions };
  readonly checkout: CheckoutLayers;
  readonly diagnostics: readonly Diagnostic[];
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
  const { sources: claude, diagnostics } = isImported ? await readClaude(workspace) : NOTHING;
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
      ...diagnostics,
    ],
  };
}

const NOTHING: FoundPlugins = { sources: [], diagnostics: [] };

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
