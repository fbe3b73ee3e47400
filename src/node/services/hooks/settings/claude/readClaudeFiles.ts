/**
 * Reads Claude Code's settings files, the plugins that they enable, and the managed settings of an administrator. Of
 * managed settings only the restrictions count; if they cannot be read, all hooks of Claude Code are off (H9, H38,
 * H39). Sources of the paths: https://code.claude.com/docs/en/settings and
 * https://code.claude.com/docs/en/server-managed-settings.
 */
import { posix } from "node:path";
import { fileDiagnostic } from "@/common/diagnostics";
import { claudeSettings } from "@/node/services/hooks/settings/claude/filterSettings";
import {
  type CheckoutReads,
  folderNotAbsolute,
  type FoundPlugins,
  readPlugins,
} from "@/node/services/hooks/settings/claude/enabledPlugins";
import { claudePaths, findFiles, findMainCheckout } from "@/node/services/hooks/settings/findFiles";
import * as settingsFiles from "@/node/services/hooks/settings/readHookFiles";
import * as workspaces from "@/node/services/hooks/settings/cachedReads";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { EMPTY_SETTINGS, type ParsedSettings } from "@/node/services/hooks/settings/parseSettings";

/** Returns the managed settings, the files, and the plugins that the files enable, which are in layer order. */
export async function readClaude(
  workspace: workspaces.ClaudePlace,
  reads: CheckoutReads
): Promise<FoundPlugins> {
  const { host, project, home, projectDir, env } = workspace;
  const paths = claudePaths(home, projectDir, env);
  const isFound = posix.isAbsolute(paths.user);
  const [users, [shared, own]] = await Promise.all([
    isFound ? findFiles(host, [paths.user]) : [],
    findFiles(project, [paths.project, paths.local]),
  ]);
  // A linked worktree without a local file of its own has that of its main checkout (H39).
  const main = own === undefined ? await findMainCheckout(project, projectDir) : undefined;
  const [mains] =
    main === undefined ? [] : await findFiles(project, [claudePaths(home, main).local]);
  const local = own ?? mains;
  const read = await settingsFiles.readOnce([
    ...settingsFiles.settingsSlot("user", host, users[0]),
    ...settingsFiles.settingsSlot("project", project, shared, reads.budget),
    ...settingsFiles.settingsSlot("local", project, local, reads.budget),
  ]);
  const files = read.map((source) => ({
    ...source,
    settings: claudeSettings(source.settings),
    isClaude: true,
  }));
  const delivered = posix.join(workspaces.claudeConfigDir(workspace), "remote-settings.json");
  const [plugins, managed] = await Promise.all([
    readPlugins(workspace, files, reads),
    Promise.all([
      readManaged(host, posix.isAbsolute(delivered) ? [delivered] : []),
      ...(project === host ? [] : [readManaged(project, [])]),
    ]),
  ]);
  const named = env.CLAUDE_CONFIG_DIR ?? "";
  return {
    sources: [...managed.flat(), ...files, ...plugins.sources],
    diagnostics: [
      ...(isFound || named === ""
        ? []
        : [fileDiagnostic("warning", projectDir, folderNotAbsolute("CLAUDE_CONFIG_DIR", named))]),
      ...plugins.diagnostics,
    ],
  };
}

/**
 * Works like {@link readClaude}, for a caller without views of the machines.
 *
 * @param projectDir absolute
 * @param plugins whether the plugins of the checkout are read as well
 */
export async function findClaude(
  runtime: HookRuntime,
  projectDir: string,
  { home, env }: workspaces.UserPaths,
  plugins: boolean
): Promise<FoundPlugins> {
  const place = { runtime, projectDir, home, env, ...workspaces.viewMachines(runtime, projectDir) };
  return await readClaude(place, { budget: new workspaces.CheckoutBudget(), plugins });
}

/** Folders that only an administrator can create: of Linux and WSL, and of macOS. */
const FOLDERS = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/** Returns the restrictions of each file, but not its hooks. A file that cannot be used turns off what it may forbid. */
async function readManaged(
  view: workspaces.MachineView,
  delivered: string[]
): Promise<settingsFiles.SettingsSource[]> {
  const reads = workspaces.cachedReads(view);
  const paths = FOLDERS.map((folder) => posix.join(folder, "managed-settings.json"));
  const dirs = FOLDERS.map((folder) => posix.join(folder, "managed-settings.d"));
  // One call, so that all are requested at once.
  const stats = (await view.stats.stat([...dirs, ...paths, ...delivered])).slice(0, dirs.length);
  const sourceOf = (file: string, settings: ParsedSettings, isUsable: boolean) => ({
    layer: "user" as const,
    file,
    settings,
    isClaude: true,
    isManaged: true,
    off: isUsable
      ? undefined
      : `turned off, because the managed settings of Claude Code in ${file}, which may forbid it, cannot be read; ask your administrator to fix the file`,
  });
  const unread: settingsFiles.SettingsSource[] = [];
  const lists = dirs.map(async (dir, i) => {
    if (stats[i]?.kind === "missing") return [];
    const names = await reads.list(dir);
    if (names.isErr()) unread.push(sourceOf(dir, EMPTY_SETTINGS, false));
    const used = names
      .unwrapOr([])
      .filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return used.sort().map((name) => posix.join(dir, name));
  });
  const listed = (await Promise.all(lists)).flat();
  const files = await findFiles(view, [...paths, ...listed, ...delivered]);
  const read = files.map(async (file) => {
    if (file === undefined) return [];
    const { values, claude, diagnostics } = await settingsFiles.readSettings(view, file);
    // A file that cannot be used as a whole has a problem without the path of a key.
    const problem = diagnostics.find(
      ({ severity, keyPath }) => severity === "error" && ["", "disableAllHooks"].includes(keyPath)
    );
    const restrictions = {
      ...EMPTY_SETTINGS,
      values: { disableAllHooks: values.disableAllHooks },
      claude,
      diagnostics: problem === undefined ? [] : [problem],
    };
    return [sourceOf(file.path, restrictions, problem === undefined)];
  });
  return [...(await Promise.all(read)).flat(), ...unread];
}
