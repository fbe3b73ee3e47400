/** Words of a command line that name files of the project (H8, H31). */
import { posix } from "node:path";
import { shellWords } from "@/node/services/hooks/shellWords";
import type { CommandHandler } from "@/node/services/hooks/settingsSchema";

const PROJECT_VARIABLE =
  /\$\{(?:MUX|CLAUDE)_PROJECT_DIR(?::-[^{}$]*)?\}|\$(?:MUX|CLAUDE)_PROJECT_DIR(?!\w)/g;
const ANY_VARIABLE = /\$\{[^{}$]*\}|\$\w+/g;
/** What may stand around a path within one word: `--config=a.json`, `sh -c 'x a; y b'`, `"$(pwd)/a"`. */
const AROUND_PATHS = /[\s;|&<>()=:,"'`]+/;
/** Stands for the project's folder, whose own name may hold any of those. */
const PROJECT = "\0";

/** The file that a word names, absolute. */
export function resolveWord(word: string, projectDir: string): string {
  return posix.resolve(
    projectDir,
    word.replaceAll(PROJECT_VARIABLE, () => projectDir)
  );
}

/**
 * Every path within the project that a handler may name. Generous: a variable may be the project's folder, and most
 * of these paths are no files. A file too many is asked about once too often, a file too few not at all.
 */
export function namedPaths({ command, args }: CommandHandler, projectDir: string): string[] {
  const words = args === undefined ? shellWords(command) : [command, ...args];
  const pieces = words.flatMap((word) => {
    const marked = word.replaceAll(ANY_VARIABLE, PROJECT);
    return [marked, ...marked.split(AROUND_PATHS)];
  });
  const paths = [...new Set(pieces)].flatMap((piece) => {
    const path = piece.replaceAll(PROJECT, () => projectDir);
    // What follows a substitution looks absolute: `$(git rev-parse --show-toplevel)/check.sh`.
    return [posix.resolve(projectDir, path), posix.join(projectDir, path)];
  });
  return [...new Set(paths)].filter((path) => isInside(path, projectDir)).sort();
}

function isInside(path: string, dir: string): boolean {
  return path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}
