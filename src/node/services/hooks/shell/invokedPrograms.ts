/**
 * Finds the programs, arguments and files that the command line of a hook names, also behind wrappers, package runners
 * and shells (H7, H8). Also recognizes commands of the gauntlet (H30).
 */
import { posix } from "node:path";
import type { CommandHandler, ConfiguredHook } from "@/node/services/hooks/contract/types";

export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

/** Returns every program that a command handler starts. */
export function invokedPrograms({ command, args }: CommandHandler): ProgramCall[] {
  const commands = args === undefined ? simpleCommands(command) : [[command, ...args]];
  return commands.flatMap(callsOf);
}

const NAME = "agent-gauntlet";

/**
 * Returns whether a handler runs a command of the gauntlet itself, by any path or package runner, rather than only
 * mentioning it (H30).
 */
export function runsGauntlet(handler: CommandHandler, command = "stop-hook"): boolean {
  // A checkout can have hundreds of long commands.
  const isMentioned = [handler.command, ...(handler.args ?? [])].some((word) =>
    word.includes(NAME)
  );
  return (
    isMentioned &&
    invokedPrograms(handler).some(({ program, args }) => {
      const [name] = posix.basename(program, ".cjs").split("@", 1);
      return name === NAME && args.find((arg) => !arg.startsWith("-")) === command;
    })
  );
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const KEYWORDS = new Set(["!", "{", "if", "then", "elif", "else", "while", "until", "do"]);
const WRAPPERS = new Set(["exec", "command", "time", "env", "nohup", "nice", "timeout"]);
const PACKAGE_RUNNERS = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun"]);
const RUN_SUBCOMMANDS = new Set(["dlx", "exec", "x", "run"]);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", ".", "source"]);
/** Options whose value is the next word. */
const VALUE_OPTIONS = {
  wrapper: /^(?:-[aCfknosu]|--(?:adjustment|chdir|kill-after|signal|unset))$/,
  runner: /^(?:-[CFp]|--(?:cwd|dir|filter|package|prefix))$/,
  node: /^(?:-r|--require|--import)$/,
  shell: /^(?:[-+]\w*[oO]|--(?:init-file|rcfile))$/,
};

/** Returns the calls of one command: more than one if it passes a command line to a shell. */
function callsOf(words: readonly string[]): ProgramCall[] {
  let at = 0;
  const skip = (isPrefix: (word: string) => boolean): void => {
    while (at < words.length && isPrefix(words[at] ?? "")) at++;
  };
  const skipOptions = (kind: keyof typeof VALUE_OPTIONS): void => {
    skip((word) => {
      if (!/^[-+]/.test(word)) return false;
      if (VALUE_OPTIONS[kind].test(word)) at++;
      return true;
    });
  };
  for (;;) {
    skip((word) => ASSIGNMENT.test(word) || KEYWORDS.has(word));
    const program = words[at];
    if (program === undefined) return [];
    const name = posix.basename(program);
    const begin = ++at;
    if (WRAPPERS.has(name)) {
      skipOptions("wrapper");
      skip((word) => /^[\d.]+[smhd]?$/.test(word));
    } else if (PACKAGE_RUNNERS.has(name)) {
      skipOptions("runner");
      if (RUN_SUBCOMMANDS.has(words[at] ?? "")) at++;
      skipOptions("runner");
    } else if (/^node(?:js)?[-\d.]*$/.test(name)) {
      skipOptions("node");
    } else if (SHELLS.has(name)) {
      skipOptions("shell");
      if (words.slice(begin, at).some((word) => /^-\w*c/.test(word)))
        return simpleCommands(words[at] ?? "").flatMap(callsOf);
    } else {
      return [{ program, args: words.slice(at) }];
    }
  }
}

/**
 * Returns the words of each command between `;`, `&&`, `|` and similar operators, without redirections. A rough
 * tokenizer that expands nothing, so the values of variables stay unknown.
 */
export function simpleCommands(line: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = "";
  /** Whether the next word is the target of a redirection. */
  let isTarget = false;
  const endWord = (): void => {
    if (word === undefined) return;
    if (!isTarget) words.push(word);
    isTarget = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    isTarget = false;
    if (words.length === 0) return;
    commands.push(words);
    words = [];
  };
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === "\\" && quote !== "'") {
      const escaped = line.charAt(++i);
      if (escaped !== "\n") word = (word ?? "") + escaped;
    } else if (quote !== "") {
      if (char === quote) quote = "";
      else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "#" && word === undefined) {
      const end = line.indexOf("\n", i);
      i = end === -1 ? line.length : end - 1;
    } else if (char === "<" || char === ">") {
      // In `2>&1` the first number and the `&` belong to the redirection, and so does the `|` of `>|`.
      if (/^\d+$/.test(word ?? "")) word = undefined;
      endWord();
      isTarget = true;
      if ("&|".includes(line.charAt(i + 1))) i++;
    } else if (";&|()`\n".includes(char)) {
      endCommand();
    } else if (char === " " || char === "\t" || char === "\r") {
      endWord();
    } else {
      word = (word ?? "") + char;
    }
  }
  endCommand();
  return commands;
}

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
  // A name alone is searched in the PATH.
  if (!filled.includes("/")) return undefined;
  const path = resolveWord(filled, projectDir);
  const folders = [projectDir, ...(plugin && fromProject ? [plugin.root] : [])];
  const isWithinFolder = folders.some((dir) => path.startsWith(dir === "/" ? "/" : `${dir}/`));
  return isWithinFolder ? path : undefined;
}
