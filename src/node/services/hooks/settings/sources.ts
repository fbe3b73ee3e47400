/** Reads the configuration of a workspace: settings files, Claude's files, scripts and built-in parts (H3, H8, H9). */
import { posix } from "node:path";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { MAX_HANDLERS } from "@/common/limits";
import { readParts } from "@/node/services/hooks/settings/builtinInputs";
import { NO_DEFINITIONS, type Definitions } from "@/node/services/hooks/settings/definitions";
import {
  definitionsOf,
  importsClaude,
  nameInCheckout,
  type CheckoutLayers,
  type Layers,
} from "@/node/services/hooks/settings/layers";
import {
  CheckoutBudget,
  cachedReads,
  type Workspace,
} from "@/node/services/hooks/settings/workspace";
import { readClaude } from "@/node/services/hooks/settings/claude/readClaude";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { findProjectFiles, findUserFiles } from "@/node/services/hooks/settings/paths";
import { readOnce, scriptSlot, settingsSlot } from "@/node/services/hooks/settings/readFile";

/** The configuration as the files hold it now. */
export interface PresentLayers {
  readonly user: Layers & { readonly definitions: Definitions };
  readonly checkout: CheckoutLayers;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReadOptions {
  /** Layers of the checkout that replace those of its files. Claude's files are also read if these import them. */
  readonly chosen?: Layers | undefined;
  /** Whether the plugins of the checkout may be read (H38). */
  readonly plugins: boolean;
}

/** Reads all layers of a workspace. */
export async function readLayers(
  workspace: Workspace,
  { chosen = { own: [], claude: [] }, plugins }: ReadOptions
): Promise<PresentLayers> {
  const { host, project, projectDir, runtime, home } = workspace;
  const [user, checkout] = await Promise.all([
    findUserFiles(host, workspace),
    findProjectFiles(project, projectDir),
  ]);
  const budget = new CheckoutBudget();
  const machine = runtime.isRemote ? runtime.label : undefined;
  const own = await readOnce([
    ...settingsSlot("user", host, user.settings),
    ...user.scripts.map((file) => scriptSlot("user", host, file, machine)),
    ...settingsSlot("project", project, checkout.settings, budget),
    ...settingsSlot("local", project, checkout.local, budget),
    ...checkout.scripts.map((file) => scriptSlot("script", project, file)),
  ]);
  const users = own.filter(isUsers);
  const isImported = [own, users, [...users, ...chosen.own]].some(importsClaude);
  const { sources: claude, diagnostics } = isImported
    ? await readClaude(workspace, { budget, plugins })
    : { sources: [], diagnostics: [] };
  const { parts, recorded } = await readParts(workspace.builtins, cachedReads(project), projectDir);
  const usersClaude = claude.filter(isUsers);
  const theirs = limitHandlers({
    own: own.filter((source) => !isUsers(source)),
    claude: claude.filter((source) => !isUsers(source)),
  });
  const counted = importsClaude(own) ? [...theirs.own, ...theirs.claude] : theirs.own;
  const noHome = `HOME is ${JSON.stringify(home)}, which is not an absolute path, so user settings in it are not read; set HOME to an absolute path`;
  return {
    user: {
      own: users,
      claude: usersClaude,
      definitions: {
        ...NO_DEFINITIONS,
        ...definitionsOf([...users, ...usersClaude], (path) => path),
      },
    },
    checkout: {
      ...theirs,
      definitions: { ...definitionsOf(counted, nameInCheckout), builtins: recorded },
      parts,
    },
    diagnostics: [
      ...(posix.isAbsolute(home) ? [] : [fileDiagnostic("warning", projectDir, noHome)]),
      ...user.diagnostics,
      ...checkout.diagnostics,
      ...diagnostics,
    ],
  };
}

function isUsers({ layer }: SettingsSource): boolean {
  return layer === "user";
}

/** Limits the handlers of a checkout. The first one of each file that is skipped is reported (H5). */
function limitHandlers({ own, claude }: Layers): Layers {
  let left = MAX_HANDLERS;
  const limit = (source: SettingsSource): SettingsSource => {
    const { file, settings, isScript } = source;
    const hooks = settings.hooks.slice(0, isScript === true ? undefined : left);
    if (isScript !== true) left -= hooks.length;
    const skipped = settings.hooks[hooks.length];
    if (skipped === undefined) return source;
    const problem = {
      ...fileDiagnostic(
        "error",
        file,
        `all files of a checkout together may have at most ${MAX_HANDLERS} handlers; this one and all after it are skipped`
      ),
      line: skipped.line,
      column: skipped.column,
      keyPath: `hooks.${skipped.event}`,
    };
    const diagnostics = [...settings.diagnostics, problem];
    return { ...source, settings: { ...settings, hooks, diagnostics } };
  };
  return { own: own.map(limit), claude: claude.map(limit) };
}
