/** Words of a command line that name files of the project (H8, H31). */
import { posix } from "node:path";
import { shellWords, simpleCommands } from "@/node/services/hooks/shellWords";
import type { CommandHandler } from "@/node/services/hooks/settingsSchema";

const PROJECT_VARIABLE =
  /\$\{(?:MUX|CLAUDE)_PROJECT_DIR(?::-[^{}$]*)?\}|\$(?:MUX|CLAUDE)_PROJECT_DIR(?!\w)/g;
const ANY_VARIABLE = /\$\{[^{}$]*\}|\$\w+/g;
/** What may stand around a path within one word: `--config=a.json`. */
const AROUND_PATHS = /[\s=:,"'`]+/;
/** Stands for the project's folder, whose own name may hold any of those. */
const PROJECT = "\0";

const MOST_PATHS = 1_000;

/** The file that a word names, absolute. */
export function resolveWord(word: string, projectDir: string): string {
  return posix.resolve(
    projectDir,
    word.replaceAll(PROJECT_VARIABLE, () => projectDir)
  );
}

/**
 * Every path within the project that a handler may name. Generous: a variable may be the project's folder, and most
 * of these paths are no files. A file too many is asked about once too often, a file too few not at all. But a file
 * that output is redirected to changes with every run. Undefined where there are more than anybody names.
 */
export function namedPaths(
  { command, args, shell = "" }: CommandHandler,
  projectDir: string
): string[] | undefined {
  const words = args === undefined ? shellWords(command) : [command, ...args];
  const pieces = [...new Set([...words, shell].flatMap(piecesOf))];
  const folders = ["", ...(args === undefined ? enteredFolders(command) : [])];
  if (folders.length * pieces.length > MOST_PATHS) return undefined;
  const paths = folders.flatMap((folder) => {
    const base = posix.resolve(projectDir, fill(folder, projectDir));
    return pieces.flatMap((piece) => {
      const path = fill(piece, projectDir);
      // What follows a substitution looks absolute: `$(git rev-parse --show-toplevel)/check.sh`.
      return [posix.resolve(base, path), posix.join(base, path)];
    });
  });
  return [...new Set(paths)].filter((path) => isInside(path, projectDir)).sort();
}

function piecesOf(word: string): string[] {
  const marked = mark(word);
  // A word may be a command line of its own: `sh -c 'x a; y b'`, `"$(pwd)/a"`.
  return [marked, ...shellWords(marked).flatMap((inner) => inner.split(AROUND_PATHS))];
}

/** Where `cd` goes in a command line. */
function enteredFolders(line: string): string[] {
  const folders = simpleCommands(line).flatMap(([program, ...targets]) =>
    program === "cd" ? targets.map(mark) : []
  );
  return [...new Set(folders)];
}

function mark(word: string): string {
  return word.replaceAll(ANY_VARIABLE, PROJECT);
}

function fill(marked: string, projectDir: string): string {
  return marked.replaceAll(PROJECT, () => projectDir);
}

function isInside(path: string, dir: string): boolean {
  return path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}
