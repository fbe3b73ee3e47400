/** Runs one hook of any type and returns its run. Never rejects. */
import { hookTitle } from "@/node/services/hooks/contract/hookTitle";
import { describeError } from "@/common/errors";
import { MAX_REASON_CHARS, OUTPUT_PREVIEW_CHARS } from "@/common/limits";
import { clip, plainText } from "@/common/text";
import { runBuiltin } from "@/node/services/hooks/execution/handlers/builtinHandler";
import { runCommand } from "@/node/services/hooks/execution/handlers/commandHandler";
import type {
  HandlerResult,
  HandlerRun,
  StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { text } from "@/node/services/hooks/execution/parseOutput";
import { failed, type HookVerdict } from "@/node/services/hooks/execution/verdict";
import { launchFailureOf } from "@/node/services/hooks/execution/launchFailure";
import { fitReason } from "@/node/services/hooks/execution/outputSpill";
import type { ConfiguredHook, HookRun } from "@/node/services/hooks/contract/types";
import {
  END_NOT_EFFECTIVE_YET,
  handlerFailed,
  PROGRAM_ERROR_BLOCKS,
  PROGRAM_ERROR_REPEATED,
} from "@/node/services/hooks/messages/execution";
import { handlerTypeNotSupported } from "@/node/services/hooks/messages/contract";

/** Exit 2: a block, but also the error code of many programs (H19a). */
const AMBIGUOUS_EXIT = 2;

export async function executeHook(
  run: HandlerRun,
  context: StopContext,
  repeatedFailures: ReadonlySet<string>
): Promise<HookRun> {
  const startedAt = new Date();
  const started = performance.now();
  const result = await dispatch(run, context).catch((thrown: unknown) => failedHandler(thrown));
  const durationMs = Math.round(performance.now() - started);
  const launchFailure = findLaunchFailure(run.hook, result);
  const doubted = flagLaunchFailure(result.verdict, launchFailure, repeatedFailures);
  const verdict = await fitVerdict(context, run.hook.addedInTurn ? withoutEnd(doubted) : doubted);
  const { suppressOutput, ...visibleVerdict } = verdict;
  return {
    ...describeHook(run.hook),
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(result.end === undefined ? {} : { end: result.end }),
    ...visibleVerdict,
    stdoutBytes: result.stdoutBytes,
    stderrBytes: result.stderrBytes,
    ...preview("stdout", suppressOutput ? "" : result.stdout),
    ...preview("stderr", result.stderr),
    ...(launchFailure === undefined ? {} : { launchFailure }),
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
    ...(hook.source === undefined ? {} : { source: hook.source }),
  };
}

async function dispatch(run: HandlerRun, context: StopContext): Promise<HandlerResult> {
  const { handler } = run.hook;
  if (handler.type === "command") return await runCommand(handler, run, context);
  const builtin = handler.type === "builtin" ? context.builtins.get(handler.name) : undefined;
  if (builtin === undefined)
    return failedHandler(handlerTypeNotSupported(JSON.stringify(handler.type)));
  return await runBuiltin(builtin, run, context);
}

function failedHandler(thrown: unknown): HandlerResult {
  const verdict = failed(handlerFailed(describeError(thrown)));
  return { verdict, stdout: "", stderr: "", stdoutBytes: 0, stderrBytes: 0 };
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
    return { ...verdict, warnings: [...verdict.warnings, PROGRAM_ERROR_BLOCKS] };
  }
  const warnings = [...verdict.warnings, PROGRAM_ERROR_REPEATED];
  return { ...verdict, outcome: "failed", warnings };
}

/** Drops `continue: false` of a hook that was added within the turn, which can only block (H7). */
function withoutEnd(verdict: HookVerdict): HookVerdict {
  if (verdict.outcome !== "end") return verdict;
  const { stopReason: _, ...rest } = verdict;
  const warnings = [...verdict.warnings, END_NOT_EFFECTIVE_YET];
  return { ...rest, outcome: "pass", warnings };
}

/** Limits the texts for the agent. A longer one is kept whole beside the hook's transcript, for the agent to read. */
async function fitVerdict(
  { runtime, keepBeside }: StopContext,
  verdict: HookVerdict
): Promise<HookVerdict> {
  const fit = async (text: string): Promise<string> =>
    text.length <= MAX_REASON_CHARS ? text : await fitReason(runtime, await keepBeside(), text);
  return {
    ...verdict,
    ...(verdict.reason === undefined ? {} : { reason: await fit(verdict.reason) }),
    ...(verdict.context === undefined ? {} : { context: await fit(verdict.context) }),
  };
}

function preview(key: "stdout" | "stderr", output: string): Partial<Record<typeof key, string>> {
  // Cut before cleaning: only the first 2,000 characters of up to 1 MiB are needed.
  const text = plainText(output.slice(0, 2 * OUTPUT_PREVIEW_CHARS)).trim();
  return text === "" ? {} : { [key]: clip(text, OUTPUT_PREVIEW_CHARS) };
}
