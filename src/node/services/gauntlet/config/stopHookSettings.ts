/** Whether and how often the Stop hook runs: variables, then the project, then the person's own file (G6). */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/Runtime";
import { CONFIG_FILE, readSource } from "@/node/services/gauntlet/config/configFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { formatProblem } from "@/node/services/gauntlet/config/problem";
import { ProblemList } from "@/node/services/gauntlet/config/problemList";
import { readShape } from "@/node/services/gauntlet/config/readShape";
import { globalConfigSchema } from "@/node/services/gauntlet/config/schema";
import { parseYaml } from "@/node/services/gauntlet/config/yamlTree";

export interface StopHookSettings {
  readonly enabled: boolean;
  /** What turned it off, in words; there when `enabled` is false. */
  readonly disabledBy?: string;
  readonly verifyFixes: boolean;
  /** 0 never waits. */
  readonly intervalMinutes: number;
  /** For stderr. */
  readonly warnings: readonly string[];
}

export interface StopHookPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, absolute. */
  readonly home: string;
  /** What the project says. */
  readonly project: GauntletConfig["stopHook"];
}

const ENABLED = "GAUNTLET_STOP_HOOK_ENABLED";
const INTERVAL = "GAUNTLET_STOP_HOOK_INTERVAL_MINUTES";
const DEFAULT_INTERVAL_MINUTES = 10;

/** `files` are those of the machine that the person sits at. Never fails: what is wrong is a warning. */
export async function loadStopHookSettings(
  files: Files,
  { env, home, project }: StopHookPlace
): Promise<StopHookSettings> {
  const { path, stopHook, warnings: fileWarnings } = await loadGlobal(files, env, home);
  const byEnv = readVariable(env, ENABLED, "true, 1, false or 0", parseFlag);
  const interval = readVariable(env, INTERVAL, "a number of minutes from 0", parseMinutes);
  const decisive = [
    { enabled: byEnv.value, by: `the environment variable ${ENABLED}` },
    { enabled: project.enabled, by: `stop_hook.enabled in ${CONFIG_FILE}` },
    { enabled: stopHook.enabled ?? undefined, by: `stop_hook.enabled in ${path}` },
  ].find(({ enabled }) => enabled !== undefined);
  return {
    enabled: decisive?.enabled ?? true,
    ...(decisive?.enabled === false ? { disabledBy: decisive.by } : {}),
    verifyFixes: project.verifyFixes ?? stopHook.verify_fixes ?? true,
    intervalMinutes: interval.value ?? stopHook.run_interval_minutes ?? DEFAULT_INTERVAL_MINUTES,
    warnings: [...byEnv.warnings, ...interval.warnings, ...fileWarnings],
  };
}

interface GlobalSettings {
  readonly path: string;
  readonly stopHook: {
    readonly enabled?: boolean | null | undefined;
    readonly verify_fixes?: boolean | null | undefined;
    readonly run_interval_minutes?: number | null | undefined;
  };
  readonly warnings: readonly string[];
}

/** Where anything in it is wrong, nothing of it counts. */
async function loadGlobal(
  files: Files,
  env: StopHookPlace["env"],
  home: string
): Promise<GlobalSettings> {
  const paths = globalPaths(env, home);
  const stats = await files.stat(paths);
  const path = paths.find((_, i) => stats[i]?.kind !== "missing");
  if (path === undefined) return { path: "", stopHook: {}, warnings: [] };
  const problems = new ProblemList(false);
  const source = await readSource(files, path, problems);
  const tree = source && parseYaml(source, problems);
  const fields =
    source && tree && readShape({ source, tree, path: [] }, globalConfigSchema, problems);
  const warnings = problems.all.map((problem) =>
    formatProblem({ ...problem, severity: "warning" })
  );
  const isUsable = fields !== undefined && !problems.hasErrors;
  return { path, stopHook: (isUsable ? fields.stop_hook : undefined) ?? {}, warnings };
}

function globalPaths(env: StopHookPlace["env"], home: string): string[] {
  const configHome = env.XDG_CONFIG_HOME ?? "";
  const folders = [
    ...(posix.isAbsolute(configHome) ? [configHome] : []),
    posix.join(home, ".config"),
  ];
  return folders.map((folder) => posix.join(folder, "agent-gauntlet", "config.yml"));
}

/** An empty variable counts as none. */
function readVariable<T>(
  env: StopHookPlace["env"],
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
