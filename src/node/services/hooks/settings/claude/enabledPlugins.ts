/**
 * Selects the plugins that Claude Code's settings enable, and has their hooks read. Plugins that the checkout enables or
 * contains are read only if it is trusted (H38). Reports plugins that are not installed or cannot be used. Downloads
 * nothing.
 */
import * as workspaces from "@/node/services/hooks/settings/cachedReads";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { type Diagnostic, fileDiagnostic, type Severity } from "@/common/diagnostics";
import { MAX_CHECKOUT_PLUGINS } from "@/common/limits";
import { visible } from "@/common/safeText";
import * as claudeKeys from "@/node/services/hooks/settings/claude/readClaudeKeys";
import * as pluginFiles from "@/node/services/hooks/settings/claude/readPluginHooks";
import { findMainCheckout } from "@/node/services/hooks/settings/findFiles";
import { EMPTY_SETTINGS } from "@/node/services/hooks/settings/parseSettings";
import type { SettingsSource } from "@/node/services/hooks/settings/readHookFiles";

/** How many folders above a path are requested at once. */
const STEPS = 8;

export interface FoundPlugins {
  readonly sources: readonly SettingsSource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The parts of a checkout that may be read. */
export interface CheckoutReads {
  readonly budget: workspaces.CheckoutBudget;
  /** Whether its plugins may be read. Otherwise only their IDs are returned (H38). */
  readonly plugins: boolean;
}

/** A plugin with the settings file that enables it. */
interface EnabledPlugin {
  readonly id: string;
  readonly by: SettingsSource;
  readonly at: claudeKeys.PluginSwitch;
}

/** A plugin of a checkout that may not be read. */
const UNREAD = "unread";
type Located = pluginFiles.Installation & { readonly isInCheckout: boolean };
type Search = Result<Located | undefined, string> | typeof UNREAD;

/** Reads the plugins that `files`, Claude Code's settings files in layer order, enable. */
export async function readPlugins(
  workspace: workspaces.ClaudePlace,
  files: readonly SettingsSource[],
  reads: CheckoutReads
): Promise<FoundPlugins> {
  const enabled = listEnabled(files);
  const folder = workspaces.claudePluginDir(workspace);
  const [first] = enabled;
  if (first === undefined) return { sources: [], diagnostics: [] };
  if (!posix.isAbsolute(folder)) {
    const message = folderNotAbsolute("CLAUDE_CODE_PLUGIN_CACHE_DIR", folder);
    return { sources: [], diagnostics: [fileDiagnostic("warning", first.by.file, message)] };
  }
  const reader = new PluginReader(workspace, folder, files, reads);
  await reader.readLists();
  // One after the other, so that always the same ones are within the budget.
  for (const plugin of enabled) await reader.read(plugin);
  return reader;
}

/** Returns the enabled plugins. The user's `true` decides, else the highest file that names the plugin (H38). */
function listEnabled(files: readonly SettingsSource[]): EnabledPlugin[] {
  const ids = files.flatMap(({ settings }) => [...(settings.claude?.plugins.keys() ?? [])]);
  return [...new Set(ids)].flatMap((id) => {
    const naming = files.flatMap((by) => {
      const at = by.settings.claude?.plugins.get(id);
      return at === undefined ? [] : [{ id, by, at }];
    });
    const chosen = naming.find(({ by, at }) => by.layer === "user" && at.isOn) ?? naming.at(-1);
    return chosen?.at.isOn === true ? [chosen] : [];
  });
}

class PluginReader implements FoundPlugins {
  readonly sources: SettingsSource[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** The list of installations, and whether its version is known. */
  #installed: unknown;
  #isKnown = true;
  #marketplaces: unknown;
  /** Folders of the project, the main checkout first. */
  #checkouts: readonly string[] = [];
  #inCheckout = 0;

  constructor(
    private readonly workspace: workspaces.ClaudePlace,
    private readonly folder: string,
    private readonly files: readonly SettingsSource[],
    private readonly reads: CheckoutReads
  ) {}

  async readLists(): Promise<void> {
    const { host, project, projectDir } = this.workspace;
    const names = ["installed_plugins.json", "known_marketplaces.json"];
    const lists = names.map((name) => posix.join(this.folder, name));
    // One call, so that both are requested at once.
    await host.stats.stat(lists);
    const reportUnread = (file: string, why: string): void => {
      const message = `no plugin of Claude Code is read from this list${why}`;
      this.diagnostics.push(fileDiagnostic("notice", file, message));
    };
    const read = lists.map(async (path) => {
      const list = await pluginFiles.readDocument(host, path);
      if (list.isErr()) reportUnread(path, `: ${list.error}`);
      return list.unwrapOr(undefined);
    });
    [this.#installed, this.#marketplaces] = await Promise.all(read);
    const version = pluginFiles.unknownVersion(this.#installed);
    this.#isKnown = version === undefined;
    if (version !== undefined) {
      const why = `, because its version (${version}) is unknown; update mux-stop-hooks, or remove the plugins from "enabledPlugins"`;
      reportUnread(lists[0] ?? "", why);
    }
    const main = await findMainCheckout(project, projectDir);
    this.#checkouts = main === undefined ? [projectDir] : [main, projectDir];
  }

  async read({ id, by, at: { line, column } }: EnabledPlugin): Promise<void> {
    const { host, project, runtime } = this.workspace;
    const report = (severity: Severity, message: string): void => {
      const place = { file: by.file, line, column, keyPath: "enabledPlugins" };
      this.diagnostics.push({ severity, ...place, message });
    };
    const found = await this.#locate(id, by);
    /** The layer of a plugin of the checkout. The user's is not one of the checkout's. */
    const layer = by.layer === "user" ? "project" : by.layer;
    if (found === UNREAD) {
      // Only its ID and the file that enables it are known.
      const plugin = { id, version: "", root: "", data: "" };
      const unread = { isClaude: true, plugin, isUnread: true } as const;
      this.sources.push({ layer, file: by.file, settings: EMPTY_SETTINGS, ...unread });
      return;
    }
    if (found.isErr()) {
      report("warning", found.error);
      return;
    }
    if (found.value === undefined) {
      // Without a readable list it is unknown whether the plugin is installed.
      if (!this.#isKnown) return;
      const message = `the plugin ${id} is not installed for you or for this project, so its hooks do not run; install it in Claude Code with "/plugin install ${id}"`;
      report("notice", message);
      return;
    }
    const { path: root, isInCheckout, version: installed } = found.value;
    if (isInCheckout && ++this.#inCheckout > MAX_CHECKOUT_PLUGINS) {
      const message = `at most ${MAX_CHECKOUT_PLUGINS} plugins may be in the checkout itself; the hooks of this one do not run`;
      report("warning", message);
      return;
    }
    const view = isInCheckout ? project : host;
    const [here, there] = [await view.stats.stat([root]), await project.stats.stat([root])];
    if (here[0]?.kind !== "directory") {
      const next = isInCheckout
        ? `restore the folder, or remove the plugin from "enabledPlugins"`
        : `install it again in Claude Code with "/plugin install ${id}"`;
      const message = `the hooks of the plugin ${id} do not run, because its folder ${visible(root)} does not exist; ${next}`;
      report("warning", message);
      return;
    }
    const isUsers = by.layer === "user" && !isInCheckout;
    const budget = isUsers ? undefined : this.reads.budget;
    const { version, files } = await pluginFiles.readPluginHooks(view, root, budget);
    const data = posix.join(this.folder, "data", id.replaceAll(/[^\w-]/g, "-"));
    const common = {
      layer: isUsers ? by.layer : layer,
      isClaude: true,
      plugin: { id, version: installed === "" ? version : installed, root, data },
      obstacle:
        there[0]?.kind === "directory"
          ? undefined
          : `the plugin ${id} is on this machine, but hooks run on ${runtime.label}, which has no folder ${visible(root)}`,
    };
    const used = files.filter(
      ({ settings }) => settings.hooks.length + settings.diagnostics.length > 0
    );
    this.sources.push(...used.map((file) => ({ ...file, ...common })));
  }

  /** Finds the folder of a plugin. Only for a plugin that the project enables, the project's own marketplaces count. */
  async #locate(id: string, { layer }: SettingsSource): Promise<Search> {
    if (layer !== "user" && !this.reads.plugins) return UNREAD;
    const checkouts = this.#checkouts;
    const list = this.#isKnown ? this.#installed : undefined;
    const installed = pluginFiles.findInstallation(list, id, checkouts);
    if (installed !== undefined) return await this.#withOwner(installed);
    const name = claudeKeys.parsePluginId(id);
    if (name === undefined) return ok(undefined);
    const { marketplace } = name;
    const ofUser =
      pluginFiles.findMarketplace(this.#marketplaces, marketplace) ??
      this.#extra("user", marketplace);
    if (ofUser !== undefined && posix.isAbsolute(ofUser)) {
      return await this.#inMarketplace(posix.normalize(ofUser), name);
    }
    if (layer === "user") return ok(undefined);
    const ofProject = this.#extra("local", marketplace) ?? this.#extra("project", marketplace);
    if (ofProject === undefined) return ok(undefined);
    const folder = posix.resolve(checkouts[0] ?? "/", ofProject);
    if (!checkouts.some((checkout) => workspaces.isWithin(folder, checkout))) return ok(undefined);
    return await this.#inMarketplace(folder, name);
  }

  async #inMarketplace(folder: string, name: claudeKeys.PluginName): Promise<Search> {
    const { host, project } = this.workspace;
    const { budget, plugins } = this.reads;
    if (!(await this.#isInCheckout(folder))) {
      const found = await pluginFiles.findInMarketplace(host, folder, name);
      return found.isErr() ? err(found.error) : await this.#withOwner(found.value);
    }
    if (!plugins) return UNREAD;
    const found = await pluginFiles.findInMarketplace(project, folder, name, budget);
    return found.map((installation) => ({ ...installation, isInCheckout: true }));
  }

  async #withOwner(found: pluginFiles.Installation): Promise<Search> {
    const isInCheckout = await this.#isInCheckout(found.path);
    return isInCheckout && !this.reads.plugins ? UNREAD : ok({ ...found, isInCheckout });
  }

  /** Returns the folder of a marketplace that the settings file of a layer adds. */
  #extra(layer: SettingsSource["layer"], name: string): string | undefined {
    const file = this.files.find((each) => each.layer === layer);
    return file?.settings.claude?.marketplaces.get(name);
  }

  /**
   * Returns whether `path` is in one of the checkouts. The user's plugin folder is not, even in a checkout that contains
   * it, such as the home folder. A path that cannot be followed counts as in the checkout.
   */
  async #isInCheckout(path: string): Promise<boolean> {
    const { stats } = this.workspace.project;
    const isNamed = this.#checkouts.some((checkout) => workspaces.isWithin(path, checkout));
    if (isNamed && !workspaces.isWithin(path, this.folder)) return true;
    const [users, ...owners] = await stats.stat([this.folder, ...this.#checkouts]);
    const idOf = (stat: typeof users) => (stat?.kind === "directory" ? stat.identity : undefined);
    let last: string | undefined;
    for (let at = path; ; at += "/..".repeat(STEPS)) {
      const chain = await stats.stat(Array.from({ length: STEPS }, (_, i) => at + "/..".repeat(i)));
      for (const stat of chain) {
        if (stat.kind === "missing") return false;
        const id = idOf(stat);
        if (id === undefined) return true;
        if (id === idOf(users)) return false;
        if (owners.some((owner) => idOf(owner) === id)) return true;
        // The root of the file system is its own parent.
        if (id === last) return false;
        last = id;
      }
    }
  }
}

/** @param variable `CLAUDE_CONFIG_DIR` or `CLAUDE_CODE_PLUGIN_CACHE_DIR` */
export function folderNotAbsolute(variable: string, value: string): string {
  return `${variable} is ${JSON.stringify(value)}, which is not an absolute path, so Claude Code's files in it are not read; set it to an absolute path`;
}
