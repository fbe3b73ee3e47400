/** Finds the project file that a command starts as its program (H7, H8). */
import { posix } from "node:path";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

const PROJECT_VARIABLE =
  /\$\{(?:MUX|CLAUDE)_PROJECT_DIR(?::-[^{}$]*)?\}|\$(?:MUX|CLAUDE)_PROJECT_DIR(?!\w)/g;

/** Returns the absolute path of the file that a word names. */
export function resolveWord(word: string, projectDir: string): string {
  return posix.resolve(
    projectDir,
    word.replaceAll(PROJECT_VARIABLE, () => projectDir)
  );
}

/** Returns the path that the first blank-separated word of a command names, if it is within the project. */
export function namedProgram(
  { handler, script }: Pick<ConfiguredHook, "handler" | "script">,
  projectDir: string
): string | undefined {
  if (handler.type !== "command" || script !== undefined) return undefined;
  const { command, args } = handler;
  const word = args === undefined ? (command.trimStart().split(/\s/, 1)[0] ?? "") : command;
  const path = resolveWord(word.replaceAll(/["']/g, ""), projectDir);
  return path.startsWith(projectDir === "/" ? "/" : `${projectDir}/`) ? path : undefined;
}
