/** The gauntlet as a plugin file of opencode, which has no hooks in settings files (G29). */
import { realpath } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type {
  InitPlace,
  InstallPlan,
  PlanOptions,
  RemovalPlan,
} from "@/cli/gauntlet/init/hooks/hookPlan";
import { isDependency, PACKAGE_NAME } from "@/cli/gauntlet/init/hooks/cloneProgram";
import { programForHome } from "@/cli/gauntlet/init/hooks/ownCopy";
import { readSettingsText } from "@/cli/settingsText";
import { definedOnly } from "@/common/definedOnly";
import { parseJson } from "@/common/json";
import * as messages from "@/cli/gauntlet/messages/hooks";

/** The plugin of the package. */
const MODULE = "dist/opencode.js";
const PLUGIN = "plugins/agent-gauntlet.js";
const WRITTEN = /^export \{ default \} from ("[^"\n]*\/dist\/opencode\.js");\n$/;

export interface PluginFile {
  readonly path: string;
  /** Empty if it does not exist. */
  readonly text: string;
  readonly problem?: string;
}

export async function planOpencodePlugin(
  place: InitPlace,
  { shared = false }: PlanOptions = {}
): Promise<InstallPlan> {
  const [personal, team] = await readPlugins(place);
  const target = shared ? team : personal;
  const installed = [personal, team].find(({ text }) => WRITTEN.test(text));
  if (installed !== undefined && installed !== target) {
    const advice = shared ? messages.installedPersonally("opencode") : undefined;
    return { ...definedOnly({ advice }), installedAt: `${installed.path}:1`, edits: ok([]) };
  }
  const wanted = shared ? await findSharedModule(place, team.path) : await findModule(place);
  if (wanted.isErr()) return { edits: err(wanted.error) };
  const line = `export { default } from ${JSON.stringify(wanted.value)};\n`;
  if (installed === undefined && (target.text !== "" || target.problem !== undefined)) {
    return { edits: err(target.problem ?? messages.notOwnFile(target.path)) };
  }
  return {
    ...(installed && { installedAt: `${installed.path}:1` }),
    edits: ok(
      target.text === line ? [] : [{ path: target.path, isShared: shared, edit: () => ok(line) }]
    ),
  };
}

export async function planOpencodeRemoval(place: InitPlace): Promise<RemovalPlan> {
  const plugins = await readPlugins(place);
  return {
    removals: plugins
      .filter(({ text }) => WRITTEN.test(text))
      .map(({ path }) => ({ path, edit: () => ok(""), isRemovable: (text) => text === "" })),
    others: plugins
      .filter(({ text }) => text !== "" && !WRITTEN.test(text))
      .map(({ path }) => `${path}:1`),
    problems: plugins.flatMap(({ problem }) => problem ?? []),
  };
}

/** Returns the absolute path of the module that a plugin file imports. Undefined if `init` did not write the file. */
export function moduleOf({ path, text }: PluginFile): string | undefined {
  const [, literal] = WRITTEN.exec(text) ?? [];
  const module = literal === undefined ? undefined : parseJson(literal).unwrapOr(undefined);
  return typeof module === "string" ? posix.resolve(posix.dirname(path), module) : undefined;
}

/** Returns the plugin of the user and the one of the project. */
export async function readPlugins({
  runtime,
  home,
  env,
  projectDir,
}: InitPlace): Promise<readonly [PluginFile, PluginFile]> {
  const config = env.XDG_CONFIG_HOME?.startsWith("/") === true ? env.XDG_CONFIG_HOME : undefined;
  const read = async (folder: string): Promise<PluginFile> => {
    const path = posix.join(folder, PLUGIN);
    return (await readSettingsText(runtime, path)).match(
      (text = "") => ({ path, text }),
      (problem) => ({ path, text: "", problem })
    );
  };
  return [
    await read(posix.join(config ?? posix.join(home, ".config"), "opencode")),
    await read(posix.join(projectDir, ".opencode")),
  ];
}

/** Returns the absolute path of the module, or why it cannot be used. */
async function findModule(place: InitPlace): Promise<Result<string, string>> {
  const own = await realpath(place.program).catch(() => place.program);
  const [path, ownPath] = [await programForHome(place), own].map((bin) =>
    posix.join(posix.dirname(bin), "..", MODULE)
  ) as [string, string];
  const [stat] = await place.runtime.stat([ownPath]);
  return stat?.kind === "file" ? ok(path) : err(messages.moduleMissing(ownPath));
}

/** Returns a path that is valid in every clone, relative to the plugin, or why there is none. */
async function findSharedModule(place: InitPlace, plugin: string): Promise<Result<string, string>> {
  if (!(await isDependency(place))) return err(messages.notDependency(PACKAGE_NAME));
  const path = posix.join(place.projectDir, "node_modules", PACKAGE_NAME, MODULE);
  const [stat] = await place.runtime.stat([path]);
  if (stat?.kind !== "file") return err(messages.moduleMissing(path));
  return ok(posix.relative(posix.dirname(plugin), path));
}
