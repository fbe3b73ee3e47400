/**
 * The answers that need no parser and no process (G24). Whatever this imports is loaded at each stop, so that must be
 * nothing but `node:fs` and modules that Node has loaded anyway.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Answer } from "@/cli/gauntlet/stopHook/answer";
import { readStdin } from "@/cli/gauntlet/stopHook/readStdin";
import { parseStopInput } from "@/cli/gauntlet/stopHook/stopInput";
import { errorCode } from "@/common/errors";
import type { FileStat } from "@/node/runtime/Runtime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import {
  NO_GLOBAL,
  readVariables,
  settingsOf,
} from "@/node/services/gauntlet/config/stopHookRules";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";
import { turnedOff } from "@/node/services/gauntlet/stopAnswers";

export interface StopPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The folder of the process, absolute; throws where it is gone. */
  readonly cwd: () => string;
}

/** A stop that somebody else has to decide over. */
export interface OpenStop {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute: it has a configuration. */
  readonly projectDir: string;
}

export async function earlyStop({ env, cwd }: StopPlace): Promise<Answer | OpenStop> {
  if (env[RECURSION_MARKER]) return { result: resultOf("stop_hook_active") };
  const text = await readStdin();
  const input = text === undefined ? undefined : parseStopInput(text);
  if (input === undefined) return { result: resultOf("invalid_input") };
  if (input.stopHookActive) return { result: resultOf("stop_hook_active") };
  const isAbsolute = input.cwd?.startsWith("/") === true;
  const folder = resolve(isAbsolute ? "/" : cwd(), input.cwd ?? "");
  const projectDir = await findGauntletProject({ stat }, folder);
  if (projectDir === undefined) return { result: resultOf("no_config") };
  return offByVariable(env) ?? { cwd: folder, projectDir };
}

/** By a variable, which outranks whatever the files say (G6). */
function offByVariable(env: StopPlace["env"]): Answer | undefined {
  const variables = readVariables(env);
  const settings = settingsOf({ variables, project: {}, global: NO_GLOBAL });
  if (settings.enabled) return undefined;
  return { result: turnedOff(settings), warnings: settings.warnings };
}

function stat(paths: readonly string[]): Promise<Pick<FileStat, "kind">[]> {
  return Promise.resolve(paths.map((path) => ({ kind: kindOf(path) })));
}

function kindOf(path: string): FileStat["kind"] {
  try {
    const stats = statSync(path);
    if (stats.isFile()) return "file";
    return stats.isDirectory() ? "directory" : "other";
  } catch (thrown) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(thrown) ?? "") ? "missing" : "failed";
  }
}
