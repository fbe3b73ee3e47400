/** Texts that several files use. */

/** @param variable `CLAUDE_CONFIG_DIR` or `CLAUDE_CODE_PLUGIN_CACHE_DIR` */
export function folderNotAbsolute(variable: string, value: string): string {
  return `${variable} is ${JSON.stringify(value)}, which is not an absolute path, so Claude Code's files in it are not read; set it to an absolute path`;
}

/** A handler with the field `if`, which is evaluated for tool calls only. */
export const IF_NEVER_TRUE =
  'an "if" is never true on Stop and SubagentStop, so the handler never runs; remove the "if"';

/** @param type as in the settings file, in quotes */
export function handlerTypeNotSupported(type: string): string {
  return `handlers of type ${type} are not supported by mux-stop-hooks`;
}

export function fileMissing(path: string): string {
  return `${path} does not exist`;
}

export function notWritten(path: string, problem: string): string {
  return `${path} could not be written: ${problem}`;
}

/** Messages about the requests of http and prompt handlers. Like those of `execution.ts` they follow the hook's name. */
// The question of a prompt handler.

/** @param host the name of the program that runs the hooks, if it gives one */
export function noModelForPrompts(host = "the program that runs the hooks"): string {
  return `there is no model here that could answer its prompt, because ${host} gives hooks none; use a handler of another type`;
}

// Files.

export function notReadable(problem: string): string {
  return `cannot be read: ${problem}`;
}

export function notFile(isFolder: boolean): string {
  return `expected a file, found ${isFolder ? "a folder" : "a FIFO, a socket or a device"}`;
}

// Values and handlers.

/** The end of a message about a value that cannot be used. */
export const DEFAULT_USED = "; the default is used";

export const HANDLER_SKIPPED = "; the handler is skipped";

/** @param found a description of the value that was found */
export function expectedValue(expected: string, found: string): string {
  return `expected ${expected}, found ${found}`;
}
