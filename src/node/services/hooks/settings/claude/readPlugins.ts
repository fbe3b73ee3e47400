/** Finds the plugins that Claude Code's settings enable, and reads their hooks (H38). Downloads nothing. */
import {
  claudePluginDir,
  isWithin,
  type CheckoutBudget,
  type ClaudePlace,
  type MachineView,
} from "@/node/services/hooks/settings/workspace";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { MAX_CHECKOUT_PLUGINS } from "@/common/limits";
import { visible } from "@/common/text";
import {
  parsePluginId,
  type PluginName,
  type PluginSwitch,
} from "@/node/services/hooks/settings/claude/claudeKeys";
import {
  chooseInstallation,
  findInMarketplace,
  parseInstalled,
  parseMarketplaces,
  readDocument,
  type Installation,
} from "@/node/services/hooks/settings/claude/installedPlugins";
import { readPluginHooks } from "@/node/services/hooks/settings/claude/pluginHooks";
import { findMainCheckout } from "@/node/services/hooks/settings/linkedWorktree";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { EMPTY_SETTINGS } from "@/node/services/hooks/settings/parseFile";
import { folderNotAbsolute } from "@/node/services/hooks/messages/shared";

/** How many folders above a path are requested at once. */
const STEPS = 8;

export interface FoundPlugins {
  readonly sources: readonly SettingsSource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What may be read of a checkout. */
export interface CheckoutReads {
  readonly budget: CheckoutBudget;
  /** Whether its plugins may be read. Otherwise only their IDs are returned (H38). */
  readonly plugins: boolean;
}

/** A plugin with the settings file that enables it. */
interface EnabledPlugin {
  readonly id: string;
  readonly by: SettingsSource;
  readonly at: PluginSwitch;
}

interface Located extends Installation {
  readonly isInCheckout: boolean;
}

/** A plugin of a checkout that may not be read. */
const UNREAD = "unread";
type Search = Result<Located | undefined, string> | typeof UNREAD;

/** Reads the plugins that `files`, Claude Code's settings files in layer order, enable. */
export async function readPlugins(
  workspace: ClaudePlace,
  files: readonly SettingsSource[],
  reads: CheckoutReads
): Promise<FoundPlugins> {
  const enabled = listEnabled(files);
  if (enabled.length === 0) return { sources: [], diagnostics: [] };
  const folder = claudePluginDir(workspace);
  if (!posix.isAbsolute(folder))
    return { sources: [], diagnostics: [notAbsolute(folder, enabled)] };
  const finder = await PluginFinder.open(workspace, folder, files, reads);
  const found: FoundPlugins[] = [];
  // One after the other, so that always the same ones are within the budget.
  for (const plugin of enabled) found.push(await finder.read(plugin));
  return {
    sources: found.flatMap(({ sources }) => sources),
    diagnostics: [...finder.diagnostics, ...found.flatMap(({ diagnostics }) => diagnostics)],
  };
}

/** The user's `true` counts first. Otherwise the highest file that names the plugin decides (H38). */
function listEnabled(files: readonly SettingsSource[]): EnabledPlugin[] {
  const ids = new Set(
    files.flatMap(({ settings }) => [...(settings.claude?.plugins.keys() ?? [])])
  );
  return [...ids].flatMap((id) => {
    const naming = files.flatMap((by) => {
      const at = by.settings.claude?.plugins.get(id);
      return at === undefined ? [] : [{ id, by, at }];
    });
    const chosen = naming.find(({ by, at }) => by.layer === "user" && at.isOn) ?? naming.at(-1);
    return chosen?.at.isOn === true ? [chosen] : [];
  });
}

function notAbsolute(folder: string, [first]: readonly EnabledPlugin[]): Diagnostic {
  const message = folderNotAbsolute("CLAUDE_CODE_PLUGIN_CACHE_DIR", folder);
  return fileDiagnostic("warning", first?.by.file ?? folder, message);
}

class PluginFinder {
  #inCheckout = 0;

  static async open(
    workspace: ClaudePlace,
    folder: string,
    files: readonly SettingsSource[],
    reads: CheckoutReads
  ): Promise<PluginFinder> {
    const { host, project, projectDir } = workspace;
    const lists = [
      posix.join(folder, "installed_plugins.json"),
      posix.join(folder, "known_marketplaces.json"),
    ] as const;
    // One call, so that both are requested at once.
    await host.stats.stat(lists);
    const [installed, known] = await Promise.all(lists.map((path) => readDocument(host, path)));
    const diagnostics = [installed, known].flatMap((list, i) =>
      list?.isErr() === true
        ? [
            fileDiagnostic(
              "notice",
              lists[i] ?? folder,
              `no plugin of Claude Code is read from this list: ${list.error}`
            ),
          ]
        : []
    );
    const plugins = parseInstalled(installed?.unwrapOr(undefined));
    if ("unknown" in plugins) {
      diagnostics.push(
        fileDiagnostic(
          "notice",
          lists[0],
          `no plugin of Claude Code is read from this list, because its version (${plugins.unknown}) is unknown; update mux-stop-hooks, or remove the plugins from "enabledPlugins"`
        )
      );
    }
    const main = await findMainCheckout(project, projectDir);
    return new PluginFinder(workspace, folder, files, reads, diagnostics, {
      installations: "unknown" in plugins ? () => [] : plugins.of,
      isKnown: !("unknown" in plugins),
      marketplace: parseMarketplaces(known?.unwrapOr(undefined)),
      checkouts: main === undefined ? [projectDir] : [main, projectDir],
    });
  }

  private constructor(
    private readonly workspace: ClaudePlace,
    private readonly folder: string,
    private readonly files: readonly SettingsSource[],
    private readonly reads: CheckoutReads,
    readonly diagnostics: readonly Diagnostic[],
    private readonly lists: {
      readonly installations: (id: string) => readonly Installation[];
      /** Whether the version of the list of installations is known. */
      readonly isKnown: boolean;
      readonly marketplace: (name: string) => string | undefined;
      /** Folders of the project, the main checkout first. */
      readonly checkouts: readonly string[];
    }
  ) {}

  async read({ id, by, at }: EnabledPlugin): Promise<FoundPlugins> {
    const { host, project, runtime } = this.workspace;
    const place = { file: by.file, line: at.line, column: at.column, keyPath: "enabledPlugins" };
    const warn = (message: string): FoundPlugins => ({
      sources: [],
      diagnostics: [{ severity: "warning", ...place, message }],
    });
    const found = await this.#locate(id, by);
    if (found === UNREAD) return { sources: [unread(id, by)], diagnostics: [] };
    if (found.isErr()) return warn(found.error);
    const located = found.value;
    if (located === undefined) {
      // Without a readable list it is unknown whether the plugin is installed.
      const notice = {
        severity: "notice" as const,
        ...place,
        message: `the plugin ${id} is not installed for you or for this project, so its hooks do not run; install it in Claude Code with "/plugin install ${id}"`,
      };
      return { sources: [], diagnostics: this.lists.isKnown ? [notice] : [] };
    }
    const { path: root, isInCheckout } = located;
    if (isInCheckout && ++this.#inCheckout > MAX_CHECKOUT_PLUGINS) {
      return warn(
        `at most ${MAX_CHECKOUT_PLUGINS} plugins may be in the checkout itself; the hooks of this one do not run`
      );
    }
    const view = isInCheckout ? project : host;
    const [here, there] = [await view.stats.stat([root]), await project.stats.stat([root])];
    if (here[0]?.kind !== "directory") {
      return warn(pluginFolderMissing(id, visible(root), isInCheckout));
    }
    const isUsers = by.layer === "user" && !isInCheckout;
    const budget = isUsers ? undefined : this.reads.budget;
    const { version, files } = await readPluginHooks(view, root, budget);
    const plugin = {
      id,
      version: located.version === "" ? version : located.version,
      root,
      data: posix.join(this.folder, "data", id.replaceAll(/[^\w-]/g, "-")),
    };
    const obstacle =
      there[0]?.kind === "directory"
        ? undefined
        : `the plugin ${id} is on this machine, but hooks run on ${runtime.label}, which has no folder ${visible(root)}`;
    const sources = files
      .filter(({ settings }) => settings.hooks.length + settings.diagnostics.length > 0)
      .map((file) => ({
        ...file,
        layer: isUsers ? by.layer : checkoutLayer(by),
        isClaude: true,
        plugin,
        ...(obstacle === undefined ? {} : { obstacle }),
      }));
    return { sources, diagnostics: [] };
  }

  /** Finds the folder of a plugin. Only for a plugin that the project enables, the project's own marketplaces count. */
  async #locate(id: string, { layer }: SettingsSource): Promise<Search> {
    if (layer !== "user" && !this.reads.plugins) return UNREAD;
    const { installations, marketplace, checkouts } = this.lists;
    const installed = chooseInstallation(installations(id), checkouts);
    if (installed !== undefined) return await this.#withOwner(installed);
    const name = parsePluginId(id);
    if (name === undefined) return ok(undefined);
    const ofUser = marketplace(name.marketplace) ?? this.#extra("user", name.marketplace);
    if (ofUser !== undefined && posix.isAbsolute(ofUser)) {
      return await this.#inMarketplace(posix.normalize(ofUser), name);
    }
    if (layer === "user") return ok(undefined);
    const ofProject =
      this.#extra("local", name.marketplace) ?? this.#extra("project", name.marketplace);
    if (ofProject === undefined) return ok(undefined);
    const folder = posix.resolve(checkouts[0] ?? "/", ofProject);
    if (!checkouts.some((checkout) => isWithin(folder, checkout))) return ok(undefined);
    return await this.#inMarketplace(folder, name);
  }

  async #inMarketplace(folder: string, name: PluginName): Promise<Search> {
    const { host, project } = this.workspace;
    const { budget, plugins } = this.reads;
    if (!(await this.#isInCheckout(folder))) {
      const found = await findInMarketplace(host, folder, name);
      return found.isErr() ? err(found.error) : await this.#withOwner(found.value);
    }
    if (!plugins) return UNREAD;
    const found = await findInMarketplace(project, folder, name, budget);
    return found.map((installation) => ({ ...installation, isInCheckout: true }));
  }

  async #withOwner(found: Installation): Promise<Search> {
    const isInCheckout = await this.#isInCheckout(found.path);
    return isInCheckout && !this.reads.plugins ? UNREAD : ok({ ...found, isInCheckout });
  }

  async #isInCheckout(path: string): Promise<boolean> {
    const { checkouts } = this.lists;
    return await isInCheckout(this.workspace.project, path, {
      checkouts,
      pluginFolder: this.folder,
    });
  }

  #extra(layer: SettingsSource["layer"], name: string): string | undefined {
    const file = this.files.find((each) => each.layer === layer);
    return file?.settings.claude?.marketplaces.get(name);
  }
}

/** Returns the layer of a plugin of the checkout. The user's is not one of the checkout's. */
function checkoutLayer({ layer }: SettingsSource): SettingsSource["layer"] {
  return layer === "user" ? "project" : layer;
}

/** Returns a source in place of a plugin that may not be read: only its ID and the file that enables it are known. */
function unread(id: string, by: SettingsSource): SettingsSource {
  const plugin = { id, version: "", root: "", data: "" };
  const settings = EMPTY_SETTINGS;
  return {
    layer: checkoutLayer(by),
    file: by.file,
    settings,
    isClaude: true,
    plugin,
    isUnread: true,
  };
}

/** @param path of the folder that the list of installed plugins, or that of a marketplace, names */
function pluginFolderMissing(id: string, path: string, isInCheckout: boolean): string {
  const next = isInCheckout
    ? `restore the folder, or remove the plugin from "enabledPlugins"`
    : `install it again in Claude Code with "/plugin install ${id}"`;
  return `the hooks of the plugin ${id} do not run, because its folder ${path} does not exist; ${next}`;
}

/**
 * Returns whether `path` is in one of the checkouts. The user's plugin folder is not, even in a checkout that contains
 * it, such as the home folder. A path that cannot be followed counts as in the checkout.
 */
async function isInCheckout(
  { stats }: MachineView,
  path: string,
  { checkouts, pluginFolder }: { checkouts: readonly string[]; pluginFolder: string }
): Promise<boolean> {
  const isNamed = checkouts.some((checkout) => isWithin(path, checkout));
  if (isNamed && !isWithin(path, pluginFolder)) return true;
  const [users, ...owners] = await stats.stat([pluginFolder, ...checkouts]);
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
