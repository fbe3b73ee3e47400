/**
 * One run of a handler of any kind: the context of its stop, its input and its result. Also runs the handlers of this
 * process (http, prompt, builtin) with their time limit, and makes the results of all that are not programs.
 */
import { isAborted } from "@/common/abortable";
import pTimeout, { TimeoutError } from "p-timeout";
import { describeError } from "@/common/errors";
import { KILL_GRACE_MS } from "@/common/limits";
import type * as port from "@/node/runtime/HookRuntime";
import type * as builtins from "@/node/services/hooks/contract/builtinRegistry";
import type * as contract from "@/node/services/hooks/contract/types";
import type { CompleteHookInput } from "@/node/services/hooks/contract/makeInput";
import * as verdicts from "@/node/services/hooks/execution/verdict";

/** Data that all hooks of one stop share. */
export interface StopContext {
  readonly runtime: port.HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** The working directory if it exists, otherwise the project root (H14). */
  readonly cwd: string;
  /** For in-process handlers. Its transcripts are on this machine, unless the caller has put them on another. */
  readonly input: CompleteHookInput;
  /** The transcript in Mux's format on this machine. */
  readonly transcriptOnHost: string;
  /** For programs. Its transcripts are on the machine that they run on (H34). */
  readonly programInput: CompleteHookInput;
  /** The same in the claude dialect; absent if no hook of this stop uses it. */
  readonly claudeInput?: CompleteHookInput;
  /** The input in the claude dialect, with the transcripts on this machine; absent if no handler here uses it. */
  readonly claudeInputOnHost?: CompleteHookInput;
  /** The environment of the session, for the headers of http handlers. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The model for prompt handlers; absent if the host has none for them. */
  readonly model?: contract.HookModel;
  /** Returns a path on the workspace's machine beside which long texts for the agent are written; empty if none. */
  readonly keepBeside: () => Promise<string>;
  readonly continuation: number;
  readonly passEnv: readonly string[];
  readonly builtins: builtins.BuiltinHooks;
  readonly checkout: contract.HookSettings["checkout"];
  /** Names of the hooks that requested the continuation that is now ending. */
  readonly requestedContinuation: ReadonlySet<string>;
  readonly turn: builtins.UserTurn;
}

/** A hook that is about to run. */
export interface HandlerRun extends Pick<
  builtins.BuiltinHookContext,
  "timeoutMs" | "signal" | "onOutput"
> {
  readonly hook: contract.ConfiguredHook;
}

export interface HandlerResult extends Pick<port.ExecResult, "stdout" | "stderr"> {
  readonly verdict: verdicts.HookVerdict;
  /** Absent for a handler in this process. */
  readonly end?: port.ExecResult["end"];
}

/** Returns the input of a handler that runs in this process, in its dialect. */
export function inputOnHost(
  { dialect }: Pick<contract.HookHandler, "dialect">,
  { input, claudeInputOnHost }: StopContext
): CompleteHookInput {
  return dialect === "claude" ? (claudeInputOnHost ?? input) : input;
}

/** Returns the `file:line` that sets the time limit of a hook, else that of its settings. */
export function originOf(hook: contract.ConfiguredHook): string | undefined {
  const { source, timeoutSource = source } = hook;
  return timeoutSource === undefined ? undefined : `${timeoutSource.file}:${timeoutSource.line}`;
}

/**
 * Returns the result of `work`, whose signal is aborted at the time limit and at an interrupt. It then gets the same
 * grace period as a process to clean up. The timer keeps the process running, even if nothing else does.
 */
export async function runLimited(
  { hook, timeoutMs, signal }: HandlerRun,
  work: (stopped: AbortSignal) => Promise<HandlerResult>
): Promise<HandlerResult> {
  if (isAborted(signal)) return resultOf(verdicts.emptyVerdict("cancelled"));
  const limit = new AbortController();
  // The function is async, so that an exception before its first await is a rejection.
  const start = async () => await work(AbortSignal.any([signal, limit.signal]));
  const running = start();
  try {
    return await pTimeout(running, { milliseconds: timeoutMs, signal });
  } catch (thrown) {
    if (!isAborted(signal) && !(thrown instanceof TimeoutError)) return failedHandler(thrown);
    limit.abort();
    const settled = Promise.allSettled([running]);
    await pTimeout(settled, { milliseconds: KILL_GRACE_MS, fallback: () => undefined });
    if (isAborted(signal)) return resultOf(verdicts.emptyVerdict("cancelled"));
    const about = { event: hook.event, name: hook.name, timeoutMs, origin: originOf(hook) };
    return resultOf(verdicts.failed(verdicts.describeTimeout(about)));
  }
}

export const NO_OUTPUT: port.CapturedOutput = { text: "", bytes: 0, truncated: false };

/** Returns the result for an exception or a problem of the handler or of the engine. */
export function failedHandler(problem: unknown): HandlerResult {
  return resultOf(verdicts.failed(`failed: ${describeError(problem)}`));
}

/** Returns the result of a handler that is not a program. @param output of a server or a model, for the record */
export function resultOf(
  verdict: verdicts.HookVerdict,
  output: string | Uint8Array = ""
): HandlerResult {
  const bytes = Buffer.from(output);
  const stdout = { text: new TextDecoder().decode(bytes), bytes: bytes.length, truncated: false };
  return { verdict, stdout, stderr: NO_OUTPUT };
}
