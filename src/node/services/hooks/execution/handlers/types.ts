/** What every kind of handler is given, and what it gives back. */
import type { ExecEnd, HookRuntime } from "@/node/runtime/HookRuntime";
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
import type { CompleteHookInput } from "@/node/services/hooks/contract/input";
import type { HookVerdict } from "@/node/services/hooks/execution/verdict";
import type { ConfiguredHook, HookSettings } from "@/node/services/hooks/contract/types";

/** What is the same for all the hooks of one stop. */
export interface StopContext {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** The working directory, known to exist, or the project root in its place (H14). */
  readonly cwd: string;
  /** For handlers of this process: its transcripts lie on this machine, where they have not been put elsewhere. */
  readonly input: CompleteHookInput;
  /** For programs: its transcripts lie where they run (H34). */
  readonly programInput: CompleteHookInput;
  /** The same in Claude's layout; absent where no hook of this stop asked for it. */
  readonly claudeInput?: CompleteHookInput;
  /** A path in the folder where what an agent is to read may be kept, on the workspace's machine; empty for none. */
  readonly keepBeside: () => Promise<string>;
  readonly continuation: number;
  readonly passEnv: readonly string[];
  readonly builtins: BuiltinHooks;
  readonly checkout: HookSettings["checkout"];
  /** Names of the hooks that asked for the continuation now ending. */
  readonly requestedContinuation: ReadonlySet<string>;
  /** Empty where the caller does not count turns. */
  readonly turnId: string;
}

export interface HandlerRun {
  readonly hook: ConfiguredHook;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HandlerResult {
  readonly verdict: HookVerdict;
  /** Absent for an in-process handler that returned. */
  readonly end?: ExecEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** `file:line` of a hook's settings. */
export function originOf({ source }: ConfiguredHook): string | undefined {
  return source === undefined ? undefined : `${source.file}:${source.line}`;
}
