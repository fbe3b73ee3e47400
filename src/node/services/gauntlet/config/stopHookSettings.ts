/** Whether and how often the Stop hook runs: variables, then the project, then the person's own file (G6). */
import { readSource, type ReadableFiles } from "@/node/services/gauntlet/config/configFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { findGlobalFile } from "@/node/services/gauntlet/config/globalFile";
import { formatProblem } from "@/node/services/gauntlet/config/source/problem";
import { ProblemList } from "@/node/services/gauntlet/config/source/problemList";
import { readShape } from "@/node/services/gauntlet/config/source/validateNode";
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
  /** The person's home folder, absolute. */
  readonly home: string;
  /** What the project says. */
  readonly project: GauntletConfig["stopHook"];
}

/** `files` are those of the machine that the person sits at. Never fails: what is wrong is a warning. */
export async function loadStopHookSettings(
  files: ReadableFiles,
  { env, home, project }: StopHookPlace
): Promise<StopHookSettings> {
  const global = await loadGlobal(files, env, home);
  return settingsOf({ variables: readVariables(env), project, global });
}

/** Where anything in it is wrong, nothing of it counts. */
async function loadGlobal(
  files: ReadableFiles,
  env: StopHookPlace["env"],
  home: string
): Promise<GlobalSettings> {
  const path = await findGlobalFile(files, env, home);
  if (path === undefined) return NO_GLOBAL;
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
