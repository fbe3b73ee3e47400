/**
 * Loads the settings of the Stop hook: variables take precedence over the project, and the project over the user's own
 * file; only variables and the user's file set the interval, the least time between two runs (G6). A user's file that
 * changed in this turn disables no check, because the agent may have changed it. Lists settings that weaken the gates.
 */
import { posix } from "node:path";
import type * as z from "zod/mini";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { readSource, type ConfigReads } from "@/node/services/gauntlet/config/readConfigFiles";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { globalConfigSchema } from "@/node/services/gauntlet/domain/configSchemas";
import { MINUTES } from "@/node/services/gauntlet/messages/shared";

const DISABLED_BY_VARIABLE = "the environment variable GAUNTLET_STOP_HOOK_ENABLED";
const DEFAULT_INTERVAL_MINUTES = 10;

export interface StopHookSettings {
  readonly enabled: boolean;
  /** The setting that disabled it, for a message; present if `enabled` is false. */
  readonly disabledBy?: string;
  readonly verifyFixes: boolean;
  /** Whether the fixes of checks run at a stop (G35). */
  readonly fix: boolean;
  /** 0 means no interval. */
  readonly intervalMinutes: number;
  /** Whether the user set the interval, by a variable or their own file (G27). */
  readonly hasOwnInterval: boolean;
  /** For stderr. */
  readonly warnings: readonly string[];
  /** Those of the warnings that are about something that weakens the gates. */
  readonly weakened: readonly string[];
}

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
 * Loads the settings. A change of the user's own file turns no check off before the next message, because an agent can
 * write to it. `files` are those of the user's machine. Never fails: a problem is a warning.
 */
export async function loadStopHookSettings(
  files: ConfigReads,
  place: StopHookPlace
): Promise<StopHookSettings> {
  const warnings: string[] = [];
  /** Reads a variable. An empty variable counts as unset. */
  const variable = <T>(name: string, expected: string, parse: (text: string) => T | undefined) => {
    const text = place.env[name]?.trim() ?? "";
    const value = text === "" ? undefined : parse(text);
    if (value === undefined && text !== "") {
      const found = JSON.stringify(text.slice(0, 60));
      warnings.push(`${name} is ignored: expected ${expected}, found ${found}`);
    }
    return value;
  };
  const enabled = variable("GAUNTLET_STOP_HOOK_ENABLED", "true, 1, false or 0", (text) =>
    /^(?:true|1)$/.test(text) ? true : /^(?:false|0)$/.test(text) ? false : undefined
  );
  const minutes = variable("GAUNTLET_STOP_HOOK_INTERVAL_MINUTES", MINUTES, (text) =>
    /^\d{1,12}(?:\.\d{1,12})?$/.test(text) ? Number(text) : undefined
  );
  const { path, stopHook, ...global } = await loadGlobal(files, place);
  const { project } = place;
  const decisive = [
    { enabled, by: DISABLED_BY_VARIABLE },
    { enabled: project.enabled, by: `stop_hook.enabled in ${CONFIG_FILE}` },
    { enabled: stopHook.enabled, by: `stop_hook.enabled in ${path}` },
  ].find((setting) => setting.enabled !== undefined);
  const weakened = [...global.weakened];
  if (minutes !== undefined && minutes > 0)
    weakened.push(
      `the environment variable GAUNTLET_STOP_HOOK_INTERVAL_MINUTES is set, so stops run gates at most every ${minutes} min`
    );
  const interval = minutes ?? stopHook.runIntervalMinutes;
  return {
    enabled: decisive?.enabled ?? true,
    disabledBy: decisive?.enabled === false ? decisive.by : undefined,
    verifyFixes: project.verifyFixes ?? stopHook.verifyFixes ?? true,
    fix: stopHook.fix ?? true,
    intervalMinutes: interval ?? DEFAULT_INTERVAL_MINUTES,
    hasOwnInterval: interval !== undefined,
    warnings: [...warnings, ...global.warnings, ...weakened],
    weakened,
  };
}

/** Returns whether a variable turns the hook off, which a project or an agent may have set. */
export function isOffByVariable({ disabledBy }: StopHookSettings): boolean {
  return disabledBy === DISABLED_BY_VARIABLE;
}

interface GlobalSettings extends Pick<StopHookSettings, "warnings" | "weakened"> {
  /** Empty if there is no such file. */
  readonly path: string;
  readonly stopHook: z.output<typeof globalConfigSchema>["stopHook"];
}

/** Loads the user's own file, `agent-gauntlet/config.yml`. If anything in it is wrong, all of it is ignored. */
async function loadGlobal(
  files: ConfigReads,
  { env, home, turnBegan }: StopHookPlace
): Promise<GlobalSettings> {
  const configHome = env.XDG_CONFIG_HOME ?? "";
  const folders = [configHome, posix.join(home, ".config")].filter((path) =>
    posix.isAbsolute(path)
  );
  const paths = folders.map((folder) => posix.join(folder, "agent-gauntlet", "config.yml"));
  const stats = await files.stat(paths);
  const at = stats.findIndex(({ kind }) => kind !== "missing");
  const [path, stat] = [paths[at], stats[at]];
  if (path === undefined) return { path: "", stopHook: {}, warnings: [], weakened: [] };
  const problems = new DiagnosticList(false);
  const source = await readSource(files, path, problems);
  const node = source && parseYaml(source, problems);
  const fields = node && validateNode(node, globalConfigSchema, problems);
  const warnings = problems.all.map((problem) =>
    formatDiagnostic({ ...problem, severity: "warning" })
  );
  const stopHook = fields === undefined || problems.hasErrors ? {} : fields.stopHook;
  const changedMs = stat !== undefined && "ctimeMs" in stat ? stat.ctimeMs : 0;
  const hasChanged = turnBegan !== undefined && changedMs >= Date.parse(turnBegan);
  if (!hasChanged) return { path, stopHook, warnings, weakened: [] };
  const weakened = `${path} changed in this turn; every stop is checked until your next message`;
  const strict = { fix: stopHook.fix, runIntervalMinutes: 0 };
  return { path, stopHook: strict, warnings, weakened: [weakened] };
}
