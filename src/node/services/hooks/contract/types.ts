/**
 * Types of the hook engine: hooks and their handlers, their input, the runs and the result of a stop, the events for
 * its progress, the merged settings with their state of trust, and the interface to the model that answers prompts.
 */
import type { Diagnostic } from "@/common/diagnostics";
import type { ExecEnd } from "@/node/runtime/HookRuntime";
import type { Result } from "neverthrow";

export type HookEventName = "Stop" | "SubagentStop";
export const HOOK_EVENTS = ["Stop", "SubagentStop"] as const satisfies readonly HookEventName[];

/**
 * The input of a hook on standard input, as one line of JSON (H13). If the caller omits them, `last_assistant_message`
 * becomes the empty string, and the two lists become `[]`.
 */
export interface StopHookInput {
  /** Workspace ID; on SubagentStop the child's task ID. */
  session_id: string;
  /** `chat.jsonl`, flushed, on the machine that the hook runs on; on SubagentStop the child's. */
  transcript_path: string;
  cwd: string;
  /** `default`, `plan`, …; on SubagentStop the child's own. */
  permission_mode: string;
  hook_event_name: HookEventName;
  /** Whether the turn continues because a hook requested it (H25). */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: readonly unknown[];
  session_crons?: readonly unknown[];
  agent_id?: string;
  agent_type?: string;
  agent_transcript_path?: string;
  parent_session_id?: string;
  parent_transcript_path?: string;
  /** An ID of the turn, the same at all of its stops. */
  prompt_id?: string;
  /** The model that wrote the final message. */
  model?: string;
  effort?: { readonly level: string };
  /** The used part of the model's context window, from 0 to 1. */
  context_usage?: number;
}

/** Layers in which hooks are configured, lowest first (H3). */
export type HookLayer = "builtin" | "user" | "project" | "local" | "script";

/** One hook of the merged settings, with its origin. */
export interface ConfiguredHook {
  /** `<layer>:<event>[<n>]`, n counted from 0 within layer and event (H12). */
  readonly name: string;
  readonly event: HookEventName;
  readonly layer: HookLayer;
  /** Whether it came with the checkout and therefore requires the project's trust (H31). */
  readonly fromProject: boolean;
  /** Absent for the built-in layer. A script hook has line and column 1. */
  readonly source?: { readonly file: string; readonly line: number; readonly column: number };
  readonly matcher?: string | undefined;
  readonly handler: HookHandler;
  /** Where another file sets the `timeout` of the hook (H3). */
  readonly timeoutSource?: { readonly file: string; readonly line: number };
  /** Set for a script hook, a file that is itself the hook (H8). */
  readonly script?: ScriptFile | undefined;
  /** Set for a hook of a plugin of Claude Code (H38). */
  readonly plugin?: PluginOrigin | undefined;
  /** Set for a hook that the user added within the turn, which can only block (H7). */
  readonly addedInTurn?: true;
}

/** The plugin of Claude Code that a hook belongs to. */
export interface PluginOrigin {
  /** `name@marketplace`. */
  readonly id: string;
  /** Empty if it is unknown. */
  readonly version: string;
  /** The folder of the plugin, absolute: `CLAUDE_PLUGIN_ROOT`. */
  readonly root: string;
  /** The folder for the data of the plugin, which may not exist: `CLAUDE_PLUGIN_DATA`. */
  readonly data: string;
}

export interface ScriptFile {
  /** The only bytes that may run. */
  readonly bytes: Uint8Array;
}

/** The outcome of one hook by the rules for hook output. */
export type HookOutcome =
  /** No objection to the stop. */
  | "pass"
  /** The agent continues with `reason`. */
  | "block"
  /** The agent continues with `context`, which is not an error. */
  | "feedback"
  /** Ends the turn regardless of other hooks (`continue: false`). */
  | "end"
  /** Failed or exceeded its time limit: a warning, and the agent may stop. */
  | "failed"
  /** Would have continued or ended the turn, but its `loop_limit` is reached (H45). */
  | "ignored"
  | "cancelled"
  /** Runs in the background (`async`). */
  | "background";

/** One run of one hook, as recorded in `hook-runs.jsonl` and emitted to the chat (H24). */
export interface HookRun {
  readonly name: string;
  /** The beginning of what the hook runs, or the end of a long program path (H12). */
  readonly title: string;
  readonly event: HookEventName;
  readonly type: HookHandler["type"];
  readonly layer: HookLayer;
  readonly source?: ConfiguredHook["source"];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Absent for a handler in this process, unless the hooks of the stop could not be started. */
  readonly end?: ExecEnd;
  readonly outcome: HookOutcome;
  readonly reason?: string;
  readonly context?: string;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  /** Set if a built-in hook let the agent stop although it has verified nothing, or not everything. */
  readonly unverified?: true;
  /** The reason of a background hook with `asyncRewake` that exited with 2 (H41). */
  readonly finding?: string;
  /** For the user. */
  readonly warnings: readonly string[];
  /** For the record only: output that was interpreted in a way that may surprise the hook's author. */
  readonly notes: readonly string[];
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Clipped. stdout is absent if the hook requested that (`suppressOutput`). */
  readonly stdout?: string;
  readonly stderr?: string;
  /** Set if exit 2 looks like a program that never started. Equal values mean the same failure (H19a). */
  readonly launchFailure?: string;
}

/** A configured hook that does not run at this stop, with the reason. */
export interface SkippedHook {
  readonly hook: ConfiguredHook;
  readonly reason: string;
  /** Whether the user is notified. Otherwise only `mux-stop-hooks hooks list` shows it. */
  readonly visible: boolean;
}

/** The combined result of all hooks of one stop. */
export interface StopHooksResult {
  /** Whether the agent should stop. */
  shouldStop: boolean;
  /** The joined reasons for the agent, without their heading (H17, H18). Set when `shouldStop` is false. */
  continueReason?: string;
  /** `feedback`: no hook blocked, and there is only additional context (H18). Set when `shouldStop` is false. */
  continueKind?: "block" | "feedback";
  /** For the user: each failure, with what to do about it. */
  warnings?: string[];
  /** For the user: the `systemMessage` of each hook, in configured order. */
  systemMessages?: string[];
  /** For the user: the first `stopReason` of a hook that ended the turn. */
  stopReason?: string;
  /** Whether a user interrupt ended the hooks. Their verdict does not count then (H22). */
  cancelled?: boolean;
  /** All runs, in configured order. */
  runs?: HookRun[];
  skipped?: SkippedHook[];
}

/** Events that are emitted while hooks run, for a progress line and the chat. */
export type HookEvent =
  | { type: "hooks-start"; event: HookEventName; total: number }
  | {
      type: "hook-start";
      event: HookEventName;
      name: string;
      /** The handler's `statusMessage`, or its title if there is none. */
      label: string;
      title: string;
      timeoutMs: number;
      /** Counted from 1, in configured order. */
      index: number;
      total: number;
    }
  /** Output of a running hook. Not all of it, and none from another machine or from the background. */
  | { type: "hook-output"; event: HookEventName; index: number; text: string; isError: boolean }
  | { type: "hook-end"; event: HookEventName; index: number; total: number; run: HookRun }
  /** The last event of a stop, except for notices. After an interrupt, some hooks have no `hook-end` before it. */
  | { type: "hooks-end"; event: HookEventName; durationMs: number; result: StopHooksResult }
  | { type: "notice"; level: "info" | "warning"; text: string };

/** The merged settings of a workspace at one point in time. */
export interface HookSettings {
  readonly disableAllHooks: boolean;
  readonly maxContinuations: number;
  /** Hooks that may run, joined in layer order without duplicates (H3). */
  readonly hooks: readonly ConfiguredHook[];
  /** Hooks that run at no stop, such as untrusted or non-executable ones. */
  readonly skipped: readonly SkippedHook[];
  /** `stopHooks.timeout`, in seconds. */
  readonly defaultTimeoutS?: number;
  /** Names that `hookEnv.pass` of the user layer lets through (H14, H31). */
  readonly passEnv: readonly string[];
  /** The settings files and script hooks that were found, trusted or not, in layer order. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly trust: TrustState;
  /** Why the settings could not be loaded. No other setting counts then (H35). */
  readonly loadError?: string;
  /** The parts of the checkout that built-in hooks run, by the name of the hook. */
  readonly checkout: ReadonlyMap<string, BuiltinInputsView>;
}

/** Whether the project's own hooks may run. `notice` and `message` are for the user (H31, H32). */
export type TrustState =
  | {
      readonly trusted: true;
      readonly notice?: string;
      /** The record that trusts it, in the file `path`: its own or that of its main checkout. */
      readonly record?: { readonly project: string; readonly path: string };
    }
  | { readonly trusted: false; readonly message: string };

/** One item that came with the checkout and would be run (H31). */
export interface TrustItem {
  /** For the user, such as `Stop: .mux/check.sh --all`. */
  readonly text: string;
  /** `file:line` of its configuration. */
  readonly origin: string;
}

/** The part of a checkout that a built-in hook would run, at one point in time (H31). */
export interface BuiltinInputs {
  /** Folder of the configuration, absolute. */
  readonly dir: string;
  /** One for each item that would be run, for the user. */
  readonly items: readonly TrustItem[];
}

/** The part of a checkout as this turn uses it (`pinned`), and as it is now (`current`). */
export interface BuiltinInputsView {
  readonly pinned: BuiltinInputs | undefined;
  readonly current: BuiltinInputs | undefined;
}

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

export interface ModelQuestion {
  /** The whole question: the model has no tools and no other messages. */
  readonly prompt: string;
  /** As in the handler; absent: the model of the turn. */
  readonly model?: string | undefined;
  /** A JSON Schema of the answer, for a provider that can restrict the answer to it. */
  readonly answerSchema: object;
  /** Ends the answer when aborted. */
  readonly signal: AbortSignal;
}

/** The text of the answer, or the reason why there is none, for the user: as an object, or as neverthrow's result. */
export type HookAnswer =
  | Result<string, string>
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: string };

export interface HookModel {
  ask(question: ModelQuestion): Promise<HookAnswer>;
}
