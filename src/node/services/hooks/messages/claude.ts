/** Messages about Claude Code's files and plugins (H38, H39). */

/** @param variable `CLAUDE_CONFIG_DIR` or `CLAUDE_CODE_PLUGIN_CACHE_DIR` */
export function folderNotAbsolute(variable: string, value: string): string {
  return `${variable} is ${JSON.stringify(value)}, which is not an absolute path, so Claude Code's files in it are not read; set it to an absolute path`;
}

/** @param limit such as `4 MiB` */
export function listTooLarge(limit: string): string {
  return `larger than ${limit}, so it is not read`;
}

export function pluginsNotRead(problem: string): string {
  return `no plugin of Claude Code is read from this list: ${problem}`;
}

export function listVersionUnknown(version: string): string {
  return `no plugin of Claude Code is read from this list, because its version (${version}) is unknown; update mux-stop-hooks, or remove the plugins from "enabledPlugins"`;
}

export function pluginNotInstalled(id: string): string {
  return `the plugin ${id} is not installed for you or for this project, so its hooks do not run; install it in Claude Code with "/plugin install ${id}"`;
}

/** @param path of the folder that the list of installed plugins, or that of a marketplace, names */
export function pluginFolderMissing(id: string, path: string, isInCheckout: boolean): string {
  const next = isInCheckout
    ? `restore the folder, or remove the plugin from "enabledPlugins"`
    : `install it again in Claude Code with "/plugin install ${id}"`;
  return `the hooks of the plugin ${id} do not run, because its folder ${path} does not exist; ${next}`;
}

/** @param folder of a local marketplace */
export function pluginNotInMarketplace(id: string, folder: string): string {
  return `the hooks of the plugin ${id} do not run, because its marketplace ${folder} does not have it; add it there, or remove it from "enabledPlugins"`;
}

/** @param problem why the list of the plugins of a marketplace cannot be used */
export function catalogNotRead(id: string, path: string, problem: string): string {
  return `the hooks of the plugin ${id} do not run, because ${path} cannot be used: ${problem}`;
}

/** The folder existed when the turn began. */
export function pluginFolderGone(id: string, path: string): string {
  return `did not start, because the folder ${path} of the plugin ${id} no longer exists; restore it or, if the plugin was updated, send a message to use the new version`;
}

/** A plugin of the user, for a workspace on another machine. */
export function pluginElsewhere(id: string, path: string, machine: string): string {
  return `the plugin ${id} is on this machine, but hooks run on ${machine}, which has no folder ${path}`;
}

/** @param path in the manifest of a plugin, in quotation marks */
export function pluginPathOutside(path: string): string {
  return `${path} leads out of the folder of the plugin, so its hooks are not read`;
}

/** @param path in the manifest of a plugin, in quotation marks */
export function pluginPathMissing(path: string): string {
  return `${path} does not exist, so its hooks are not read`;
}

export function tooManyInCheckout(max: number): string {
  return `at most ${max} plugins may be in the checkout itself; the hooks of this one do not run`;
}

export const MANIFEST_HOOKS_INVALID =
  "expected an object with hooks, the path of a file, or a list of both";

/** @param file with the switch */
export function claudeHooksOff(file: string): string {
  return `turned off by disableAllHooks in ${file}`;
}

/** @param file managed settings that cannot be used */
export function policyNotRead(file: string): string {
  return `turned off, because the managed settings of Claude Code in ${file}, which may forbid it, cannot be read; ask your administrator to fix the file`;
}

/** @param key of managed settings that forbids the hook, such as `allowManagedHooksOnly` */
export function forbiddenByPolicy(key: string, file: string): string {
  return `forbidden by ${key} in the managed settings of Claude Code (${file})`;
}

export function urlForbidden(files: readonly string[]): string {
  return `its URL is not in allowedHttpHookUrls of Claude Code's settings (${files.join(", ")})`;
}

/** A command outside a plugin that uses a variable of plugins. */
export function variableNotSet(variable: string): string {
  return `its command uses \${${variable}}, which is not set, because the hook does not belong to a plugin; enable the plugin in Claude Code's "enabledPlugins" and set "importClaudeHooks", or write the path in the command`;
}
