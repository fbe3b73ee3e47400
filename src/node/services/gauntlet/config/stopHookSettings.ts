/**
 * Loads the settings of the Stop hook. Variables take precedence over the project, and the project over the user's own
 * file (G6).
 */
import { posix } from "node:path";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { readSource, type ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { globalConfigSchema } from "@/node/services/gauntlet/config/schema";
import {
  NO_GLOBAL,
  readVariables,
  settingsOf,
  type GlobalSettings,
  type StopHookSettings,
} from "@/node/services/gauntlet/config/stopHookRules";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

export interface StopHookPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, absolute. */
  readonly home: string;
  /** The settings in the project's configuration. */
  readonly project: GauntletConfig["stopHook"];
  /** When the user's turn began, in ISO 8601, if that is known. */
  readonly turnBegan?: string | undefined;
}

/**
 * Loads the settings. What the user's own file turns off counts from the next message, because an agent can write to it.
 * `files` are those of the user's machine. Never fails: a problem is a warning.
 */
export async function loadStopHookSettings(
  files: ConfigReads,
  { env, home, project, turnBegan }: StopHookPlace
): Promise<StopHookSettings> {
  const global = await loadGlobal(files, env, home, turnBegan);
  return settingsOf({ variables: readVariables(env), project, global });
}

/** Loads the user's own file. If anything in it is wrong, all of it is ignored. */
async function loadGlobal(
  files: ConfigReads,
  env: StopHookPlace["env"],
  home: string,
  turnBegan: string | undefined
): Promise<GlobalSettings> {
  const path = await findGlobalFile(files, env, home);
  if (path === undefined) return NO_GLOBAL;
  const problems = new DiagnosticList(false);
  const source = await readSource(files, path, problems);
  const node = source && parseYaml(source, problems);
  const fields = node && validateNode(node, globalConfigSchema, problems);
  const warnings = problems.all.map((problem) =>
    formatDiagnostic({ ...problem, severity: "warning" })
  );
  const isUsable = fields !== undefined && !problems.hasErrors;
  const stopHook = (isUsable ? fields.stop_hook : undefined) ?? {};
  if (!(await hasChangedSince(files, path, turnBegan)))
    return { path, stopHook, warnings, weakened: [] };
  return {
    path,
    stopHook: { fix: stopHook.fix },
    ...{
      warnings,
      weakened: [`${path} changed in this turn; it turns nothing off before your next message`],
    },
  };
}

async function hasChangedSince(
  files: ConfigReads,
  path: string,
  began: string | undefined
): Promise<boolean> {
  if (began === undefined) return false;
  const [stat] = await files.stat([path]);
  return stat !== undefined && "ctimeMs" in stat && stat.ctimeMs >= Date.parse(began);
}

/** Returns the path of the user's `agent-gauntlet/config.yml`, or undefined if it does not exist. */
async function findGlobalFile(
  files: ConfigReads,
  env: Readonly<Record<string, string | undefined>>,
  home: string
): Promise<string | undefined> {
  const configHome = env.XDG_CONFIG_HOME ?? "";
  const folders = [
    ...(posix.isAbsolute(configHome) ? [configHome] : []),
    posix.join(home, ".config"),
  ];
  const paths = folders.map((folder) => posix.join(folder, "agent-gauntlet", "config.yml"));
  const stats = await files.stat(paths);
  return paths.find((_, i) => stats[i]?.kind !== "missing");
}
