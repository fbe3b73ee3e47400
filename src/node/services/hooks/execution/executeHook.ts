/** Runs one hook of any type and returns its run. Never rejects. */
import { hookTitle } from "@/node/services/hooks/contract/hookTitle";
import { describeError } from "@/common/errors";
import { MAX_REASON_CHARS, OUTPUT_PREVIEW_CHARS } from "@/common/limits";
import { clip, plainText } from "@/common/text";
import { isBackground } from "@/node/services/hooks/contract/timeouts";
import { runBuiltin } from "@/node/services/hooks/execution/handlers/builtinHandler";
import {
  type HandlerResult,
  type HandlerRun,
  resultOf,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { runCommand } from "@/node/services/hooks/execution/handlers/commandHandler";
import { text } from "@/node/services/hooks/execution/parseOutput";
import { failed, type HookVerdict } from "@/node/services/hooks/execution/verdict";
import { launchFailureOf } from "@/node/services/hooks/execution/launchFailure";
import { fitReason } from "@/node/services/hooks/execution/outputSpill";
import type { ConfiguredHook, HookRun } from "@/node/services/hooks/contract/types";
import { failureBlocks, handlerFailed } from "@/node/services/hooks/messages/execution";
import { handlerTypeNotSupported, noModelForPrompts } from "@/node/services/hooks/messages/shared";
import { builtinUnknown } from "@/node/services/hooks/messages/stop";

/** Exit 2: a block, but also the error code of many programs (H19a). */
const AMBIGUOUS_EXIT = 2;

export async function executeHook(
  run: HandlerRun,
  context: StopContext,
  repeatedFailures: ReadonlySet<string>
): Promise<HookRun> {
  const startedAt = new Date().toISOString();
  const started = performance.now();
  const conclude = async (result: HandlerResult): Promise<HookRun> => {
    const durationMs = Math.round(performance.now() - started);
    return { startedAt, durationMs, ...(await judge(run.hook, result, context, repeatedFailures)) };
  };
  try {
    return await conclude(await dispatch(run, context));
  } catch (thrown) {
    return await conclude(failedHandler(thrown));
  }
}

/** Returns the fields of a run that follow from the result of its handler. */
async function judge(
  hook: ConfiguredHook,
  result: HandlerResult,
  context: StopContext,
  repeatedFailures: ReadonlySet<string>
): Promise<Omit<HookRun, "startedAt" | "durationMs">> {
  const launchFailure = findLaunchFailure(hook, result);
  const doubted = flagLaunchFailure(
    result.verdict,
    launchFailure,
    failsClosed(hook) ? NO_FAILURES : repeatedFailures
  );
  const allowed = hook.addedInTurn ? withoutEnd(doubted) : doubted;
  const verdict = await fitVerdict(context, blockIfFailed(hook, allowed));
  const { suppressOutput, isUnclear: _, ...visibleVerdict } = verdict;
  return {
    ...describeHook(hook),
    end: result.end,
    ...visibleVerdict,
    stdoutBytes: result.stdoutBytes,
    stderrBytes: result.stderrBytes,
    stdout: preview(suppressOutput ? "" : result.stdout),
    stderr: preview(result.stderr),
    launchFailure,
  };
}

/** Returns the fields of a run that describe the hook itself. */
export function describeHook(hook: ConfiguredHook) {
  return {
    name: hook.name,
    title: hookTitle(hook.handler),
    event: hook.event,
    type: hook.handler.type,
    layer: hook.layer,
    source: hook.source,
  };
}

async function dispatch(run: HandlerRun, context: StopContext): Promise<HandlerResult> {
  const { handler } = run.hook;
  switch (handler.type) {
    case "command":
      return await runCommand(handler, run, context);
    case "http": {
      // Most stops need neither of these, so they are not loaded with the engine.
      const { runHttp } = await import("@/node/services/hooks/execution/handlers/httpHandler");
      return await runHttp(handler, run, context);
    }
    case "prompt": {
      const { model } = context;
      if (model === undefined) return failedHandler(noModelForPrompts());
      const { runPrompt } = await import("@/node/services/hooks/execution/handlers/promptHandler");
      return await runPrompt(handler, model, run, context);
    }
    case "builtin": {
      const builtin = context.builtins.get(handler.name);
      if (builtin === undefined) return failedHandler(builtinUnknown(handler.name));
      return await runBuiltin(builtin, run, context);
    }
    case "unsupported":
      return failedHandler(handlerTypeNotSupported(handler.given));
  }
}

function failedHandler(thrown: unknown): HandlerResult {
  return resultOf(failed(handlerFailed(describeError(thrown))));
}

function findLaunchFailure(hook: ConfiguredHook, result: HandlerResult): string | undefined {
  const { end, verdict, stderr } = result;
  const ambiguous =
    verdict.outcome === "block" && end?.kind === "exited" && end.code === AMBIGUOUS_EXIT;
  // A reason in JSON, other than the text on stderr, shows that the block is deliberate.
  return ambiguous && verdict.reason === text(stderr)
    ? launchFailureOf(hook.name, stderr)
    : undefined;
}

/**
 * Adds a warning to a block that looks like a program that never ran. The same failure blocks only once a turn (H19a).
 */
function flagLaunchFailure(
  verdict: HookVerdict,
  launchFailure: string | undefined,
  repeatedFailures: ReadonlySet<string>
): HookVerdict {
  if (launchFailure === undefined) return verdict;
  if (!repeatedFailures.has(launchFailure)) {
    const advice = `${LOOKS_LIKE_PROGRAM_ERROR}; check that the command of the hook works`;
    return { ...verdict, warnings: [...verdict.warnings, advice] };
  }
  const note = `${LOOKS_LIKE_PROGRAM_ERROR}; the same error has already blocked in this turn, so it does not block again`;
  const warnings = [...verdict.warnings, note];
  return { ...verdict, outcome: "failed", warnings };
}

const LOOKS_LIKE_PROGRAM_ERROR =
  "exit code 2 looks like a program error rather than a decision to block";

/** Returns whether a failure of the hook blocks (H44). A hook in the background can never block. */
export function failsClosed({ handler }: ConfiguredHook): boolean {
  return handler.failClosed === true && !isBackground(handler);
}

const NO_FAILURES: ReadonlySet<string> = new Set();

/**
 * Turns a failure or an unclear output into a block if the hook's settings require that (H44). The user gets the
 * warnings as well.
 */
function blockIfFailed(hook: ConfiguredHook, verdict: HookVerdict): HookVerdict {
  const { outcome, isUnclear = false } = verdict;
  const isUsable = outcome === "block" || outcome === "end" || outcome === "cancelled";
  if (!failsClosed(hook) || isUsable || !(outcome === "failed" || isUnclear)) return verdict;
  const { context: _, ...rest } = verdict;
  const { name, title } = describeHook(hook);
  const reason = failureBlocks(`${name} (${title})`, verdict.warnings.join("; "));
  return { ...rest, outcome: "block", reason };
}

/** Drops `continue: false` of a hook that was added within the turn, which can only block (H7). */
function withoutEnd(verdict: HookVerdict): HookVerdict {
  if (verdict.outcome !== "end") return verdict;
  const { stopReason: _, ...rest } = verdict;
  const warnings = [
    ...verdict.warnings,
    "continue: false has no effect until your next message, because the hook was added during this turn",
  ];
  return { ...rest, outcome: "pass", warnings };
}

/** Limits the texts for the agent. A longer one is kept whole beside the hook's transcript, for the agent to read. */
async function fitVerdict(
  { runtime, keepBeside }: StopContext,
  verdict: HookVerdict
): Promise<HookVerdict> {
  const fit = async (text: string | undefined): Promise<string | undefined> =>
    text === undefined || text.length <= MAX_REASON_CHARS
      ? text
      : await fitReason(runtime, await keepBeside(), text);
  return { ...verdict, reason: await fit(verdict.reason), context: await fit(verdict.context) };
}

function preview(output: string): string | undefined {
  // Cut before cleaning: only the first 2,000 characters of up to 1 MiB are needed.
  const text = plainText(output.slice(0, 2 * OUTPUT_PREVIEW_CHARS)).trim();
  return text === "" ? undefined : clip(text, OUTPUT_PREVIEW_CHARS);
}
