/** Every limit of the hook engine, in one place. Times are milliseconds unless the name says otherwise. */

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Default time limit of a command or http hook, in seconds (H9, §2). */
export const DEFAULT_HOOK_TIMEOUT_S = 10;
/** Default time limit of a handler that speaks the claude dialect, in seconds (H9). */
export const CLAUDE_HOOK_TIMEOUT_S = 600;
/** Default time limit of an in-process handler, in seconds (H29). */
export const BUILTIN_HOOK_TIMEOUT_S = 300;
/** No limit above a day: setTimeout overflows at 24.8 days and would fire at once. */
export const MAX_HOOK_TIMEOUT_S = 86_400;
/** A background hook may run this long at most, in seconds (H11). */
export const ASYNC_HOOK_TIMEOUT_S = 600;

/** From SIGTERM to SIGKILL (H21). */
export const KILL_GRACE_MS = 2_000;
/** How long output may still arrive after the exit of a process (H21). */
export const EXIT_DRAIN_MS = 250;

/** What is kept of each output stream: its first and its last half (H20). */
export const KEPT_OUTPUT_BYTES = MIB;
/** A settings file above this size is refused (H5). */
export const MAX_SETTINGS_BYTES = 256 * KIB;
/** A script hook above this size does not run (H31). */
export const MAX_SCRIPT_BYTES = MIB;
/** Diagnostics of one file; further ones are counted, before they are located (H20a). */
export const MAX_DIAGNOSTICS = 50;
/** Handlers that are read of one settings file, and entries of one list or object in a handler (H20a). */
export const MAX_HANDLERS = 500;
export const MAX_HANDLER_ENTRIES = 1_000;
/** A longer matcher is not compiled (H20a). */
export const MAX_MATCHER_CHARS = 4_096;
/** The longest reason an agent is sent, in characters (H17). */
export const MAX_REASON_CHARS = 10_000;
/** What a record and a chat event show of a hook's output, in characters (§4). */
export const OUTPUT_PREVIEW_CHARS = 2_000;
/** How much of a hook's command stands in its title, in characters (H12). */
export const TITLE_CHARS = 60;
/** hook-runs.jsonl is rotated, once, at this size (H24). */
export const MAX_RECORD_FILE_BYTES = 10 * MIB;
/** Limit for one match of a regular expression (H11). */
export const MATCHER_LIMIT_MS = 50;
/** How many hooks of one stop run at the same instant; the rest wait for a place. */
export const MAX_HOOKS_AT_ONCE = 32;

/** Continuations a turn may have by default, and the most that can be asked for (H4, H26). */
export const DEFAULT_MAX_CONTINUATIONS = 3;
export const MAX_CONTINUATIONS_LIMIT = 50;
