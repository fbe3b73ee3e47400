/**
 * Limits on time, size and number of the hook engine, and units of size, which the gauntlet uses too. Times are in
 * milliseconds unless the name has another unit.
 */

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Default time limit of a command or http hook, in seconds (H9). */
export const DEFAULT_HOOK_TIMEOUT_S = 10;
/** Default time limit of a handler that uses the claude dialect, in seconds (H9). */
export const CLAUDE_HOOK_TIMEOUT_S = 600;
/** Default time limit of a prompt handler, in seconds (H43). */
export const PROMPT_HOOK_TIMEOUT_S = 30;
/** Default time limit of an in-process handler, in seconds (H29). */
export const BUILTIN_HOOK_TIMEOUT_S = 300;
/** Maximum time limit, in seconds: one day, since setTimeout overflows at 24.8 days and would fire at once. */
export const MAX_HOOK_TIMEOUT_S = 86_400;
/** Default and maximum time limit of a background hook, in seconds (H11). */
export const ASYNC_HOOK_TIMEOUT_S = 600;

/** Time between SIGTERM and SIGKILL (H21). */
export const KILL_GRACE_MS = 2_000;
/** Time for output to arrive after a process has exited (H21). */
export const EXIT_DRAIN_MS = 250;

/** Bytes kept of each output stream, half from its beginning and half from its end (H20). */
export const KEPT_OUTPUT_BYTES = MIB;
/** Maximum size of the answer to an http handler; a larger one is a failure (H42). */
export const MAX_HTTP_ANSWER_BYTES = MIB;
/** Maximum size of a settings file; a larger one is refused (H5). */
export const MAX_SETTINGS_BYTES = 256 * KIB;
/** Maximum size of a script hook; a larger one does not run (H31). */
export const MAX_SCRIPT_BYTES = MIB;
/** Maximum number of diagnostics for one file; further ones are counted before they are located (H20a). */
export const MAX_DIAGNOSTICS = 50;
/** Maximum number of handlers in one settings file and in a checkout, and of entries in one list or object of a handler (H5). */
export const MAX_HANDLERS = 500;
export const MAX_HANDLER_ENTRIES = 1_000;
/** Maximum size and number of the settings files of a checkout, with imported files and plugins (H5). */
export const MAX_CHECKOUT_BYTES = MIB;
export const MAX_CHECKOUT_FILES = 100;
/** Maximum length of a matcher; a longer one is not compiled (H20a). */
export const MAX_MATCHER_CHARS = 4_096;
/** Maximum length of a reason that is sent to an agent, in characters (H17). */
export const MAX_REASON_CHARS = 10_000;
/** Maximum length of a hook's output in a record and a chat event, in characters. */
export const OUTPUT_PREVIEW_CHARS = 2_000;
/** Maximum length of a program's output that is shown while it runs, for each stream, in characters. */
export const MAX_LIVE_CHARS = 32_768;
/** Maximum length of a hook's title, in characters (H12). */
export const TITLE_CHARS = 60;
/** Size at which hook-runs.jsonl is rotated. Only one rotated file is kept (H24). */
export const MAX_RECORD_FILE_BYTES = 10 * MIB;
/** Size at which the log of the user is rotated, and the maximum length of a reason in it, in characters (H47). */
export const MAX_LOG_FILE_BYTES = 2 * MIB;
export const MAX_LOGGED_REASON_CHARS = 300;
/** Maximum size of a script that is searched for the format of the transcript that it reads (H46). */
export const MAX_SEARCHED_SCRIPT_BYTES = 64 * KIB;
/** Time limit for one match of a regular expression (H11). */
export const MATCHER_LIMIT_MS = 50;
/** Maximum number of hooks of one stop that run at the same time; the rest are queued. */
export const MAX_HOOKS_AT_ONCE = 32;

/** Continuations of a turn: the default limit, and the highest limit that can be configured (H4, H26). */
export const DEFAULT_MAX_CONTINUATIONS = 3;
export const MAX_CONTINUATIONS_LIMIT = 50;

/** Maximum number of plugins and of marketplaces of Claude Code in one settings file; further ones are ignored (H38). */
export const MAX_PLUGINS = 100;
/** Maximum number of plugins whose files are in the checkout itself (H38). */
export const MAX_CHECKOUT_PLUGINS = 20;
/** Maximum number of entries of `hooks` in the manifest of a plugin; further ones are ignored (H38). */
export const MAX_PLUGIN_HOOK_FILES = 10;
/** Maximum size of a list of plugins or marketplaces; a larger one is not read (H38). */
export const MAX_PLUGIN_LIST_BYTES = 4 * MIB;
