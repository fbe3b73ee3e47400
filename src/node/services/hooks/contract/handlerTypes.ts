/**
 * The handlers of a settings file. They are the types of the keys in `settingsKeys.ts`, written out so that the
 * types of this package do not need those of zod.
 */

interface CommonFields {
  /** Seconds. */
  timeout?: number | undefined;
  statusMessage?: string | undefined;
  enabled?: boolean | undefined;
  /** A failure of the hook is a block (H44). */
  failClosed?: boolean | undefined;
  /** Maximum number of continuations that the handler requests in a turn (H45). */
  loop_limit?: number | undefined;
  dialect?: "mux" | "claude" | undefined;
  [key: string]: unknown;
}

export interface CommandHandler extends CommonFields {
  type: "command";
  /** A shell command line; with `args`, a program that is started without a shell. */
  command: string;
  args?: string[] | undefined;
  shell?: string | undefined;
  async?: boolean | undefined;
  asyncRewake?: boolean | undefined;
}

export interface HttpHandler extends CommonFields {
  type: "http";
  url: string;
  headers?: Record<string, string> | undefined;
  allowedEnvVars?: string[] | undefined;
}

export interface PromptHandler extends CommonFields {
  type: "prompt";
  prompt: string;
  model?: string | undefined;
}

export interface BuiltinHandler extends CommonFields {
  type: "builtin";
  name: string;
}

/** A handler of another type, such as `agent`, which never runs. */
export interface UnsupportedHandler extends CommonFields {
  type: "unsupported";
  /** The type in the settings, in quotes. */
  given: string;
}

export type HookHandler =
  | CommandHandler
  | HttpHandler
  | PromptHandler
  | BuiltinHandler
  | UnsupportedHandler;

/** One entry of `hooks.Stop` or `hooks.SubagentStop`. */
export interface HookConfig {
  matcher?: string | undefined;
  hooks: HookHandler[];
  [key: string]: unknown;
}
