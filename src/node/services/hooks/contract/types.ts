/** Types of the hook engine: the input and the output of hooks, and the results of a stop. */
import type { Diagnostic } from "@/common/diagnostics";
import type { ExecEnd } from "@/node/runtime/HookRuntime";
import type { HookHandler } from "@/node/services/hooks/contract/settingsSchema";

export type HookEventName = "Stop" | "SubagentStop";
export const HOOK_EVENTS = ["Stop", "SubagentStop"] as const satisfies readonly HookEventName[];

/**
 * What a hook is given on standard input, as one line of JSON (H13). The fields that may be left out here
 * are filled before a hook sees them: `last_assistant_message` with the empty string, the two lists with `[]`.
 */
export interface StopHookInput {
  /** Workspace ID; on SubagentStop the child's task ID. */
  session_id: string;
  /** `chat.jsonl`, flushed, where the hook runs; on SubagentStop the child's. */
  transcript_path: string;
  cwd: string;
  /** `default`, `plan`, …; on SubagentStop the child's own. */
  permission_mode: string;
  hook_event_name: HookEventName;
  /** The turn already goes on because a hook asked for it (H25). */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: readonly unknown[];
  session_crons?: readonly unknown[];
  agent_id?: string;
  agent_type?: string;
  agent_transcript_path?: string;
  parent_session_id?: string;
  parent_transcript_path?: string;
}

/** Where a hook was configured, lowest first (H3). */
export const HOOK_LAYERS = ["builtin", "user", "project", "local", "script"] as const;
export type HookLayer = (typeof HOOK_LAYERS)[number];

/** One hook of the merged settings, with where it came from. */
export interface ConfiguredHook {
  /** `<layer>:<event>[<n>]`, n counted from 0 within layer and event (H12). */
  readonly name: string;
  readonly event: HookEventName;
  readonly layer: HookLayer;
  /** Whether it came with the checkout, and so needs the project's trust (H31). */
  readonly fromProject: boolean;
  /** Absent for the built-in layer. A script hook has line and column 1. */
  readonly source?: { readonly file: string; readonly line: number; readonly column: number };
  readonly matcher?: string;
  readonly handler: HookHandler;
  /** Set for a file that is itself the hook (H8). */
  readonly script?: ScriptFile;
  /** The person added it within the turn: it can only block (H7). */
  readonly addedInTurn?: true;
}

export interface ScriptFile {
  /** The only bytes that may run. */
  readonly bytes: Uint8Array;
  /** Stamps of the file and of its folder while it held these bytes; absent where it does not hold them now. */
  readonly seen?: string;
}

/** What one hook said, read by the rules of §4. */
export type HookOutcome =
  /** Nothing against the stop. */
  | "pass"
  /** The agent goes on with `reason`. */
  | "block"
  /** The agent goes on with `context`, which is no error. */
  | "feedback"
  /** Ends the turn regardless of other hooks (`continue: false`). */
  | "end"
  /** Broken or over its limit: a warning, and the agent may stop. */
  | "failed"
  | "cancelled"
  /** Started and not waited for (`async`). */
  | "background";

/** One run of one hook, as it is recorded in `hook-runs.jsonl` and told to the chat (H24). */
export interface HookRun {
  readonly name: string;
  /** The first characters of what it runs (H12). */
  readonly title: string;
  readonly event: HookEventName;
  readonly type: HookHandler["type"];
  readonly layer: HookLayer;
  readonly source?: ConfiguredHook["source"];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Absent for an in-process handler that returned. */
  readonly end?: ExecEnd;
  readonly outcome: HookOutcome;
  readonly reason?: string;
  readonly context?: string;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  /** For the user. */
  readonly warnings: readonly string[];
  /** For the record alone: what was read in a way that may surprise the hook's author. */
  readonly notes: readonly string[];
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Clipped; stdout is absent where the hook asked for that (`suppressOutput`). */
  readonly stdout?: string;
  readonly stderr?: string;
  /** Set where an exit 2 looks like a program that never started: equal values are the same failure (H19a). */
  readonly launchFailure?: string;
}

/** Why a configured hook does not run at this stop. */
export interface SkippedHook {
  readonly hook: ConfiguredHook;
  readonly reason: string;
  /** Whether a person should hear of it, or only `mux-hooks list` shows it. */
  readonly visible: boolean;
}

/** What all the hooks of one stop come to. */
export interface StopHooksResult {
  /** Whether the agent should stop. */
  shouldStop: boolean;
  /** The joined reasons, for the agent, without the line that heads them (H17, H18). Set when `shouldStop` is false. */
  continueReason?: string;
  /** `feedback`: no hook blocked, there is additional context alone (H18). Set when `shouldStop` is false. */
  continueKind?: "block" | "feedback";
  /** For the user: what went wrong, each with what to do about it. */
  warnings?: string[];
  /** For the user: `systemMessage` of each hook, in configured order. */
  systemMessages?: string[];
  /** For the user: the first `stopReason` of a hook that ended the turn. */
  stopReason?: string;
  /** A user interrupt ended the hooks; their verdict does not count (H22). */
  cancelled?: boolean;
  /** Every run, in configured order. */
  runs?: HookRun[];
  skipped?: SkippedHook[];
}

/** Told while hooks run, for a progress line and the chat. */
export type HookEvent =
  | { type: "hooks-start"; event: HookEventName; total: number }
  | {
      type: "hook-start";
      event: HookEventName;
      name: string;
      /** The handler's `statusMessage`, else its title. */
      label: string;
      /** From 1, in configured order. */
      index: number;
      total: number;
    }
  | { type: "hook-end"; event: HookEventName; index: number; total: number; run: HookRun }
  | { type: "hooks-end"; event: HookEventName; durationMs: number; result: StopHooksResult }
  | { type: "notice"; level: "info" | "warning"; text: string };

/** The merged settings of a workspace at one instant. */
export interface HookSettings {
  readonly disableAllHooks: boolean;
  readonly maxContinuations: number;
  /** Hooks that may run, joined in layer order, equal ones once (H3). */
  readonly hooks: readonly ConfiguredHook[];
  /** Known not to run, whatever the stop: untrusted, or not executable. */
  readonly skipped: readonly SkippedHook[];
  /** `stopHooks.timeout`, in seconds. */
  readonly defaultTimeoutS?: number;
  /** Names that `hookEnv.pass` of the user layer lets through (H14, H31). */
  readonly passEnv: readonly string[];
  /** The settings files and script hooks that were found, trusted or not, in layer order. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly trust: TrustState;
  /** Why nobody knows what is configured; nothing else of the settings counts then (H35). */
  readonly loadError?: string;
  /** The parts of the checkout that built-in hooks run, by their names. */
  readonly checkout: ReadonlyMap<string, BuiltinInputsView>;
}

/** Whether the project's own hooks may run; a notice and a message are for the user (H31, H32). */
export type TrustState =
  | { readonly trusted: true; readonly notice?: string }
  | { readonly trusted: false; readonly message: string };

/** One thing that came with the checkout and would be run (H31). */
export interface TrustItem {
  /** `Stop: .mux/check.sh --all`, for a person. */
  readonly text: string;
  /** `file:line` it is configured at. */
  readonly origin: string;
}

/** The part of a checkout that a built-in hook would run, at one instant (H31). */
export interface BuiltinInputs {
  /** Absolute: the folder that the configuration is in. */
  readonly dir: string;
  /** One for each thing that would be run, for a person. */
  readonly items: readonly TrustItem[];
}

/** A part as it counts in this turn, and as it stands now. */
export interface BuiltinInputsView {
  readonly pinned: BuiltinInputs | undefined;
  readonly current: BuiltinInputs | undefined;
}
