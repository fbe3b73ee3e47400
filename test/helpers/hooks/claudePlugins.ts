/** A home of Claude Code with installed plugins, for a project with hooks. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { loadHookSettings, type LoadOptions } from "@/node/services/hooks/settingsLoader";
import type { HookSettings } from "@/node/services/hooks/contract/types";
import * as hookProjects from "@test/helpers/hooks/hookProject";
import { putFile } from "@test/helpers/tempDir";

export interface PluginFiles {
  /** `hooks/hooks.json`, or its text. */
  readonly hooks?: unknown;
  readonly manifest?: unknown;
  /** Other files, by their paths. Executable. */
  readonly files?: Readonly<Record<string, string>>;
}

export class ClaudeHome {
  /** The user's folder of Claude Code. */
  readonly config: string;
  readonly plugins: string;
  readonly #installed: Record<string, unknown> = {};

  constructor(readonly project: hookProjects.HookProject) {
    this.config = join(project.home, ".claude");
    this.plugins = join(this.config, "plugins");
  }

  /** Creates a project whose user imports Claude Code's hooks. */
  static async create(options?: hookProjects.ProjectOptions): Promise<ClaudeHome> {
    const project = await hookProjects.HookProject.create(options);
    const claude = new ClaudeHome(project);
    await project.configureUser({ importClaudeHooks: true });
    return claude;
  }

  /** Writes a plugin in the cache of Claude Code, and lists it as installed. Returns its folder. */
  async install(
    id: string,
    files: PluginFiles,
    { version = "1.0.0", entry = {} }: { version?: string; entry?: object } = {}
  ): Promise<string> {
    const [name = "", marketplace = ""] = id.split("@");
    const root = join(this.plugins, "cache", marketplace, name, version);
    await writePlugin(root, files);
    this.#installed[id] = [{ scope: "user", installPath: root, version, ...entry }];
    await this.list({ version: 2, plugins: this.#installed });
    return root;
  }

  /** Writes `installed_plugins.json`. */
  async list(value: unknown): Promise<void> {
    await writeJson(join(this.plugins, "installed_plugins.json"), value);
  }

  /** Writes Claude Code's settings of the user, or of the project. */
  async configure(layer: "user" | "project" | "local", settings: unknown): Promise<string> {
    const file = {
      user: join(this.config, "settings.json"),
      project: this.project.path(".claude", "settings.json"),
      local: this.project.path(".claude", "settings.local.json"),
    }[layer];
    await writeJson(file, settings);
    return file;
  }

  /** Loads the settings of the project, without running hooks. */
  async load({
    runtime = this.project.runtime,
    ...options
  }: LoadOptions & { runtime?: HookRuntime } = {}): Promise<HookSettings> {
    const { dir, load } = this.project;
    return await loadHookSettings(runtime, dir, { ...load, ...options });
  }
}

/** Returns the command lines of the hooks that may run. */
export const commandsOf = ({ hooks }: HookSettings): unknown[] =>
  hooks.map(({ handler }) => handler.command);

export async function writePlugin(root: string, { hooks, manifest, files = {} }: PluginFiles) {
  await mkdir(root, { recursive: true });
  if (hooks !== undefined) await writeJson(join(root, "hooks", "hooks.json"), hooks);
  if (manifest !== undefined)
    await writeJson(join(root, ".claude-plugin", "plugin.json"), manifest);
  for (const [name, text] of Object.entries(files)) await putFile(join(root, name), text, 0o755);
}

/** Returns the content of a `hooks.json` with Stop hooks. */
export function stopHooks(...hooks: hookProjects.Hook[]): object {
  return { description: "A plugin.", hooks: { Stop: [hookProjects.group(hooks)] } };
}

/** Returns settings that enable plugins. */
export function enable(...ids: string[]): object {
  return { enabledPlugins: Object.fromEntries(ids.map((id) => [id, true])) };
}

/** Returns settings that name this folder as the marketplace `team`. */
export function marketplace(path: string): object {
  return { extraKnownMarketplaces: { team: { source: { source: "directory", path } } } };
}

/** Writes the list of the plugins of a marketplace. */
export async function writeCatalog(folder: string, plugins: unknown, more = {}): Promise<void> {
  await writeJson(join(folder, ".claude-plugin", "marketplace.json"), { plugins, ...more });
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await putFile(path, typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
}
