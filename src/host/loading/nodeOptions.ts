/** Keeps the preload out of the host's child processes. A launcher of the host still passes it on. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PACKAGE_ENTRY = "mux-stop-hooks/register";
const LOADING_OPTION = /^(?:--require|-r|--import)$/;
const LOADING_WORD = /^(?:--require|-r|--import)=/;

/**
 * Removes the preload from `NODE_OPTIONS`, which children inherit, and from `execArgv`, which `fork` passes on. Removes
 * every option that loads it, by any path or `file:` URL that resolves to `file`.
 */
export function withoutPreload(env: NodeJS.ProcessEnv, execArgv: string[], file: string): void {
  const isOurs = moduleFilter(file);
  execArgv.splice(0, execArgv.length, ...withoutModule(execArgv, isOurs));
  const options = env.NODE_OPTIONS;
  if (options === undefined) return;
  const words = options.match(/(?:[^\s"]+|"(?:[^"\\]+|\\.)*"?)+/g) ?? [];
  const kept = withoutModule(words, (word) => isOurs(unquoted(word)));
  if (kept.length === 0) delete env.NODE_OPTIONS;
  else env.NODE_OPTIONS = kept.join(" ");
}

function withoutModule(words: readonly string[], isOurs: (name: string) => boolean): string[] {
  const isLoaded = (i: number): boolean =>
    LOADING_OPTION.test(words[i] ?? "") && isOurs(words[i + 1] ?? "");
  return words.filter(
    (word, i) => !isOurs(word.replace(LOADING_WORD, "")) && !isLoaded(i) && !isLoaded(i - 1)
  );
}

function moduleFilter(file: string): (name: string) => boolean {
  const target = realPath(file);
  return (name) => name === PACKAGE_ENTRY || realPath(name) === target;
}

/** Returns the real path of a path or `file:` URL, or the path itself if the file does not exist. */
function realPath(name: string): string {
  let path = name;
  try {
    if (name.startsWith("file:")) path = fileURLToPath(name);
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Removes quotes, which may be anywhere in a word of `NODE_OPTIONS`. */
function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]+|\\.)*)"?/g, (_, inner: string) =>
    inner.replaceAll(/\\(.)/g, "$1")
  );
}
