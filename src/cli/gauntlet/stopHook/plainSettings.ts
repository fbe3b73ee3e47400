/** Reads the hook's settings from configuration files if they are simple. Returns undefined if they are not. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "@/common/json";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceFile } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { readSource, type ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { resolveLogDir } from "@/node/services/gauntlet/config/logDir";
import { NO_GLOBAL, type GlobalSettings } from "@/node/services/gauntlet/config/stopHookRules";
import { findGlobalFile } from "@/node/services/gauntlet/config/globalFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

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
  const node = parseYaml(source, problems);
  const section = node && sectionOf(node);
  if (node === undefined || section === undefined) return undefined;
  const { enabled, verify_fixes: verifyFixes } = section;
  if (!isFlag(enabled) || !isFlag(verifyFixes)) return undefined;
  const logDir = resolveLogDir(node.child("log_dir"), projectDir, problems);
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
  const node = source && parseYaml(source, problems);
  const section = node && sectionOf(node);
  if (section === undefined) return undefined;
  const { enabled, verify_fixes, run_interval_minutes } = section;
  if (!isFlag(enabled) || !isFlag(verify_fixes) || !isMinutes(run_interval_minutes)) {
    return undefined;
  }
  return { path, stopHook: { enabled, verify_fixes, run_interval_minutes }, warnings: [] };
}

function sectionOf(node: SourceNode): JsonObject | undefined {
  const fields = node.toPlain();
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
