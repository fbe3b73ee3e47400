/**
 * Adapts the environment and the arguments of a Mux that was started with the preload: its child processes must not
 * load it, and the arguments are those that Mux would have without it. Reports the start to `mux-stop-hooks hooks
 * attach`.
 */
import { tryOr } from "@/common/errors";
import { realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PACKAGE_ENTRY = "mux-stop-hooks/register";
const LOADING_OPTION = /^(?:--require|-r|--import)$/;
const LOADING_WORD = /^(?:--require|-r|--import)=/;

/**
 * Removes the preload from `NODE_OPTIONS`, which children inherit, and from `execArgv`, which `fork` passes on. Removes
 * every option that loads it, by any path or `file:` URL that resolves to `file`.
 */
export function withoutPreload(env: NodeJS.ProcessEnv, execArgv: string[], file: string): void {
  const target = realPath(file);
  const isOurs = (name: string): boolean => name === PACKAGE_ENTRY || realPath(name) === target;
  execArgv.splice(0, execArgv.length, ...execArgv.filter(withoutModule(execArgv, isOurs)));
  const options = env.NODE_OPTIONS;
  if (options === undefined) return;
  const words = options.match(/(?:[^\s"]+|"(?:[^"\\]+|\\.)*"?)+/g) ?? [];
  const kept = words.filter(withoutModule(words.map(unquoted), isOurs));
  if (kept.length === 0) delete env.NODE_OPTIONS;
  else env.NODE_OPTIONS = kept.join(" ");
}

/** Returns a filter that omits the words which load the module. @param words without their quotes */
function withoutModule(words: readonly string[], isOurs: (name: string) => boolean) {
  const isOurOption = (i: number): boolean =>
    LOADING_OPTION.test(words[i] ?? "") && isOurs(words[i + 1] ?? "");
  return (_: string, i: number): boolean =>
    !isOurs((words[i] ?? "").replace(LOADING_WORD, "")) && !isOurOption(i) && !isOurOption(i - 1);
}

/** Returns the real path of a path or `file:` URL, or the path itself if the file does not exist. */
function realPath(name: string): string {
  const path = name.startsWith("file:") ? tryOr(() => fileURLToPath(name), name) : name;
  return tryOr(() => realpathSync(path), path);
}

/** Removes quotes, which may be anywhere in a word of `NODE_OPTIONS`. */
function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]+|\\.)*)"?/g, (_, inner: string) =>
    inner.replaceAll(/\\(.)/g, "$1")
  );
}

/** The environment variable with the path of a file, which the host creates when it starts. */
export const SEEN_VARIABLE = "MUX_HOOKS_SEEN";
/** Matches the path of a CLI script in the archive of a packaged app. */
const IN_ARCHIVE = /app\.asar[\\/]dist[\\/]cli[\\/]/;

/** Reports the start to `mux-stop-hooks hooks attach`. Hides its variable and `ELECTRON_RUN_AS_NODE` from children. */
export function announceHost(env: NodeJS.ProcessEnv): void {
  const file = env[SEEN_VARIABLE];
  delete env.MUX_HOOKS_SEEN;
  delete env.ELECTRON_RUN_AS_NODE;
  if (file === undefined) return;
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    // `mux-stop-hooks hooks attach` was killed.
  }
}

/**
 * Makes the host skip the script path in `process.argv`. A packaged app expects no script path, but has one if it runs
 * as Node. The host checks `process.defaultApp`.
 */
export function readArgumentsAsNode(host: NodeJS.Process & { defaultApp?: boolean }): void {
  const isApp = host.versions.electron !== undefined && host.env.ELECTRON_RUN_AS_NODE !== undefined;
  if (isApp && IN_ARCHIVE.test(host.argv[1] ?? "")) host.defaultApp = true;
}
