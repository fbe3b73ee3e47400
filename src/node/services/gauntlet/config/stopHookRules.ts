/** Combines variables, the project and the user's own file into the settings of the Stop hook (G6). */
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { MINUTES } from "@/node/services/gauntlet/messages/shared";

const ENABLED = "GAUNTLET_STOP_HOOK_ENABLED";
const INTERVAL = "GAUNTLET_STOP_HOOK_INTERVAL_MINUTES";
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
  /** Those that are about something that weakens the gates. */
  readonly weakened: readonly string[];
}

export interface StopHookVariables {
  readonly enabled?: boolean;
  readonly intervalMinutes?: number;
  readonly warnings: readonly string[];
}

/** The settings in the user's own file. */
export interface GlobalSettings {
  /** Empty if there is no such file. */
  readonly path: string;
  readonly stopHook: {
    readonly enabled?: boolean | null | undefined;
    readonly verify_fixes?: boolean | null | undefined;
    readonly fix?: boolean | null | undefined;
    readonly run_interval_minutes?: number | null | undefined;
  };
  readonly warnings: readonly string[];
  readonly weakened: readonly string[];
}

/** The sources of the settings, from the strongest to the weakest. */
export interface StopHookSources {
  readonly variables: StopHookVariables;
  readonly project: GauntletConfig["stopHook"];
  readonly global: GlobalSettings;
}

export function settingsOf({ variables, project, global }: StopHookSources): StopHookSettings {
  const { path, stopHook } = global;
  const decisive = [
    { enabled: variables.enabled, by: variable(ENABLED) },
    { enabled: project.enabled, by: enabledIn(CONFIG_FILE) },
    { enabled: stopHook.enabled ?? undefined, by: enabledIn(path) },
  ].find(({ enabled }) => enabled !== undefined);
  const minutes = variables.intervalMinutes ?? 0;
  const weakened = [
    ...global.weakened,
    ...(minutes > 0
      ? [`${variable(INTERVAL)} is set, so stops run gates at most every ${minutes} min`]
      : []),
  ];
  return {
    enabled: decisive?.enabled ?? true,
    ...(decisive?.enabled === false ? { disabledBy: decisive.by } : {}),
    verifyFixes: project.verifyFixes ?? stopHook.verify_fixes ?? true,
    fix: stopHook.fix ?? true,
    intervalMinutes:
      variables.intervalMinutes ?? stopHook.run_interval_minutes ?? DEFAULT_INTERVAL_MINUTES,
    hasOwnInterval:
      variables.intervalMinutes !== undefined || stopHook.run_interval_minutes != null,
    warnings: [...variables.warnings, ...global.warnings, ...weakened],
    weakened,
  };
}

/** Returns whether a variable turns the hook off, which a project or an agent may have set. */
export function isOffByVariable({ disabledBy }: StopHookSettings): boolean {
  return disabledBy === variable(ENABLED);
}

export const NO_GLOBAL: GlobalSettings = { path: "", stopHook: {}, warnings: [], weakened: [] };

type RuleEnv = Readonly<Record<string, string | undefined>>;

export function readVariables(env: RuleEnv): StopHookVariables {
  const enabled = readVariable(env, ENABLED, "true, 1, false or 0", parseFlag);
  const minutes = readVariable(env, INTERVAL, MINUTES, parseMinutes);
  return {
    enabled: enabled.value,
    intervalMinutes: minutes.value,
    warnings: [...enabled.warnings, ...minutes.warnings],
  };
}

/** Reads and parses a variable. An empty variable counts as unset. */
function readVariable<T>(
  env: RuleEnv,
  name: string,
  expected: string,
  parse: (text: string) => T | undefined
): { value?: T; warnings: readonly string[] } {
  const text = env[name]?.trim() ?? "";
  if (text === "") return { warnings: [] };
  const value = parse(text);
  if (value !== undefined) return { value, warnings: [] };
  const found = JSON.stringify(text.slice(0, 60));
  return { warnings: [`${name} is ignored: expected ${expected}, found ${found}`] };
}

function parseFlag(text: string): boolean | undefined {
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
}

function parseMinutes(text: string): number | undefined {
  return /^\d{1,12}(?:\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
}

/** The setting that disabled the Stop hook. */
function variable(name: string): string {
  return `the environment variable ${name}`;
}

function enabledIn(file: string): string {
  return `stop_hook.enabled in ${file}`;
}
