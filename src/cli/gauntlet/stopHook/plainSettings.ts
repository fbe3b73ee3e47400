/** Reads the hook's settings from configuration files if they are simple. Returns undefined if they are not. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "@/common/json";
import { readSource, type ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { resolveLogDir } from "@/node/services/gauntlet/config/logDir";
import type { DiagnosticList } from "@/node/services/gauntlet/config/source/DiagnosticList";
import { child } from "@/node/services/gauntlet/config/source/YamlNode";
import type { SourceFile } from "@/node/services/gauntlet/config/source/SourceFile";
import { NO_GLOBAL, type GlobalSettings } from "@/node/services/gauntlet/config/stopHookRules";
import { findGlobalFile } from "@/node/services/gauntlet/config/globalFile";
import {
  parseYaml,
  toPlain,
  type YamlTree,
} from "@/node/services/gauntlet/config/source/parseYaml";

export interface ProjectSettings {
  readonly stopHook: GauntletConfig["stopHook"];
  /** Absolute. */
  readonly logDir: string;
}

export function readProjectSettings(
  source: SourceFile,
  projectDir: string,
  problems: DiagnosticList
): ProjectSettings | undefined {
  const tree = parseYaml(source, problems);
  const section = tree && sectionOf(tree);
  if (tree === undefined || section === undefined) return undefined;
  const { enabled, verify_fixes: verifyFixes } = section;
  if (!isFlag(enabled) || !isFlag(verifyFixes)) return undefined;
  const logDir = resolveLogDir(child({ source, tree, path: [] }, "log_dir"), projectDir, problems);
  if (logDir === undefined) return undefined;
  const stopHook = {
    ...(enabled == null ? {} : { enabled }),
    ...(verifyFixes == null ? {} : { verifyFixes }),
  };
  return { stopHook, logDir: posix.join(projectDir, logDir) };
}

/** Reads the user's own file. Returns {@link NO_GLOBAL} if there is none. */
export async function readGlobalStopHook(
  files: ConfigReads,
  { env, home, problems }: { env: NodeJS.ProcessEnv; home: string; problems: DiagnosticList }
): Promise<GlobalSettings | undefined> {
  const path = await findGlobalFile(files, env, home);
  if (path === undefined) return NO_GLOBAL;
  const source = await readSource(files, path, problems);
  const tree = source && parseYaml(source, problems);
  const section = tree && sectionOf(tree);
  if (section === undefined) return undefined;
  const { enabled, verify_fixes, run_interval_minutes } = section;
  if (!isFlag(enabled) || !isFlag(verify_fixes) || !isMinutes(run_interval_minutes)) {
    return undefined;
  }
  return { path, stopHook: { enabled, verify_fixes, run_interval_minutes }, warnings: [] };
}

function sectionOf(tree: YamlTree): JsonObject | undefined {
  const fields = toPlain(tree);
  if (!isJsonObject(fields)) return undefined;
  const section = fields.stop_hook ?? {};
  return isJsonObject(section) ? section : undefined;
}

/** A key without a value counts as absent. */
function isFlag(value: unknown): value is boolean | null | undefined {
  return value == null || typeof value === "boolean";
}

function isMinutes(value: unknown): value is number | null | undefined {
  return value == null || (typeof value === "number" && Number.isFinite(value) && value >= 0);
}
