/** Finds the file of the project, or of a plugin of the checkout, that a command starts as its program (H7, H8). */
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

const PLUGIN_VARIABLE = /\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT(?!\w)/g;

/**
 * Returns the path that the first blank-separated word of a command names, if it is within the project or within a
 * plugin of the checkout.
 */
export function namedProgram(
  {
    handler,
    script,
    plugin,
    fromProject,
  }: Pick<ConfiguredHook, "handler" | "script" | "plugin" | "fromProject">,
  projectDir: string
): string | undefined {
  if (handler.type !== "command" || script !== undefined) return undefined;
  const { command, args } = handler;
  const word = args === undefined ? (command.trimStart().split(/\s/, 1)[0] ?? "") : command;
  const unquoted = word.replaceAll(/["']/g, "");
  const filled = plugin ? unquoted.replaceAll(PLUGIN_VARIABLE, () => plugin.root) : unquoted;
  const path = resolveWord(filled, projectDir);
  const folders = [projectDir, ...(plugin && fromProject ? [plugin.root] : [])];
  const isFollowed = folders.some((dir) => path.startsWith(dir === "/" ? "/" : `${dir}/`));
  return isFollowed ? path : undefined;
}
