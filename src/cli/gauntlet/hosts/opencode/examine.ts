/** Examines the plugin files of opencode. */
import { posix } from "node:path";
import { examineTrust } from "@/cli/gauntlet/hosts/mux/examine";
import { nameIn } from "@/cli/gauntlet/doctor/names";
import { good, info, problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { moduleOf, readPlugins, type PluginFile } from "@/cli/gauntlet/hosts/opencode/plugin";
import type { SettingsEdit } from "@/cli/settingsText";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import * as messages from "@/cli/gauntlet/messages/doctor";

const SHOWN_CHARS = 40;

export async function examineOpencode(host: HookHost, place: InitPlace): Promise<HostReport> {
  const { found: isFound } = await host.find(place);
  const [personal, team] = await readPlugins(place);
  const installed = [personal, team].filter((plugin) => moduleOf(plugin) !== undefined);
  const missing = await Promise.all(installed.map((plugin) => findMissing(plugin, place)));
  const isBroken = missing.some((module) => module !== undefined);
  const repairs = isBroken ? (await host.plan(place)).edits.unwrapOr([]) : [];
  return {
    host,
    isFound,
    isInstalled: installed.length > 0,
    findings: [
      ...otherFiles([personal, team], place),
      ...installed.map(({ path }) => {
        const name = nameIn(place, `${path}:1`);
        return good(path === team.path ? messages.hookForTeam(name) : messages.hookForUser(name));
      }),
      ...(installed.length > 1
        ? [problem(messages.hookTwice(installed.length), messages.keepOne(host.name))]
        : []),
      ...(await Promise.all(
        installed.map((plugin, i) => describeModule(plugin, missing[i], repairs, place))
      )),
      ...(installed.length > 0 ? [await examineTrust(place)] : []),
      ...(installed.length > 0 && !isFound ? [info(messages.hostMissing(host.title))] : []),
    ],
    repairs,
  };
}

function otherFiles(plugins: readonly PluginFile[], place: InitPlace): Finding[] {
  return plugins.flatMap((plugin) => {
    if (plugin.problem !== undefined) return [problem(plugin.problem, messages.FIX_FILE)];
    if (plugin.text === "" || moduleOf(plugin) !== undefined) return [];
    return [info(messages.notOwnPlugin(nameIn(place, plugin.path)))];
  });
}

/** Returns the module of a plugin if it does not exist. */
async function findMissing(
  plugin: PluginFile,
  { runtime }: InitPlace
): Promise<string | undefined> {
  const module = moduleOf(plugin) ?? "";
  const [stat] = await runtime.stat([module]);
  return stat?.kind === "missing" ? module : undefined;
}

async function describeModule(
  plugin: PluginFile,
  missing: string | undefined,
  repairs: readonly SettingsEdit[],
  place: InitPlace
): Promise<Finding> {
  if (missing === undefined) return good(messages.moduleExists(await versionOf(plugin, place)));
  const isUpdated = repairs.some(({ path }) => path === plugin.path);
  return problem(
    messages.moduleOfPluginMissing(nameIn(place, plugin.path), nameIn(place, missing)),
    isUpdated ? messages.runFix() : messages.INSTALL_DEPENDENCIES
  );
}

/** Returns the version of the package that the module belongs to. */
async function versionOf(plugin: PluginFile, { runtime }: InitPlace): Promise<string | undefined> {
  const manifest = posix.join(posix.dirname(moduleOf(plugin) ?? ""), "../package.json");
  const read = await runtime.readFile(manifest, { maxBytes: MIB });
  const text = read.isOk() ? Buffer.from(read.value).toString("utf8") : "";
  const fields = parseJson(text).unwrapOr(undefined);
  const version = isJsonObject(fields) ? fields.version : undefined;
  return typeof version === "string" ? visible(clip(version, SHOWN_CHARS)) : undefined;
}
