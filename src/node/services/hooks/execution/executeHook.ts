/**
 * Runs one hook of any type and returns the record of its run. Turns a failure into a block for `failClosed` (H44), and
 * an accidental exit 2 that has already blocked in the turn into a failure (H19a); ignores `continue: false` of a hook
 * that was added in the turn (H7). Shortens long texts for the agent, and writes them in full beside the transcript.
 * Never rejects.
 */
import { hookTitle, isBackground } from "@/node/services/hooks/contract/hookFacts";
import { MAX_REASON_CHARS, OUTPUT_PREVIEW_CHARS } from "@/common/limits";
import { clip, plainText, sliceWhole } from "@/common/safeText";
import {
  failedHandler,
  type HandlerResult,
  type HandlerRun,
  resultOf,
  runLimited,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/handlerRun";
import { runCommand } from "@/node/services/hooks/execution/handlers/commandHandler";
import { readObject, text } from "@/node/services/hooks/execution/parseOutput";
import * as verdicts from "@/node/services/hooks/execution/verdict";
import type { ConfiguredHook, HookOutcome, HookRun } from "@/node/services/hooks/contract/types";
import * as messages from "@/node/services/hooks/messages/shared";
import { isJsonObject } from "@/common/json";
import { createHash } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";

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
  const { end, stdout, stderr, verdict: given } = result;
  // Exit 2 is a block, but also the error code of many programs (H19a). A reason in JSON shows that it is deliberate.
  const isAmbiguous =
    given.outcome === "block" &&
    end?.kind === "exited" &&
    end.code === verdicts.BLOCKING_EXIT &&
    given.reason === text(stderr.text);
  const launchFailure = isAmbiguous ? verdicts.launchFailureOf(hook.name, stderr.text) : undefined;
  const doubted =
    launchFailure === undefined
      ? given
      : flagLaunchFailure(given, !failsClosed(hook) && repeatedFailures.has(launchFailure));
  const allowed = hook.addedInTurn ? withoutEnd(doubted) : doubted;
  const verdict = await fitVerdict(context, blockIfFailed(hook, allowed));
  const { suppressOutput, isUnclear: _, overruled: __, ...visibleVerdict } = verdict;
  return {
    ...describeHook(hook),
    end,
    ...visibleVerdict,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    stdout: preview(suppressOutput ? "" : stdout.text),
    stderr: preview(stderr.text),
    launchFailure,
  };
}

/** Returns the run of a hook that has printed nothing. */
export function runWithoutOutput(hook: ConfiguredHook, outcome: HookOutcome): HookRun {
  return {
    ...describeHook(hook),
    startedAt: new Date().toISOString(),
    durationMs: 0,
    outcome,
    warnings: [],
    notes: [],
    stdoutBytes: 0,
    stderrBytes: 0,
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

/** Runs the handler by its type. */
async function dispatch(run: HandlerRun, context: StopContext): Promise<HandlerResult> {
  const { handler } = run.hook;
  switch (handler.type) {
    case "command":
      return await runCommand(handler, run, context);
    case "http": {
      // Most stops need neither http nor prompt handlers, so these are not loaded with the engine.
      const { runHttp } = await import("@/node/services/hooks/execution/handlers/httpHandler");
      return await runHttp(handler, run, context);
    }
    case "prompt": {
      const { model } = context;
      if (model === undefined) return failedHandler(messages.noModelForPrompts());
      const { runPrompt } = await import("@/node/services/hooks/execution/handlers/promptHandler");
      return await runPrompt(handler, model, run, context);
    }
    case "builtin":
      return await runBuiltin(handler.name, run, context);
    case "unsupported":
      return failedHandler(messages.handlerTypeNotSupported(handler.given));
  }
}

/**
 * Adds a warning to a block that looks like a program that never ran. The same failure blocks only once a turn (H19a).
 */
function flagLaunchFailure(
  verdict: verdicts.HookVerdict,
  isRepeated: boolean
): verdicts.HookVerdict {
  const next = isRepeated
    ? "the same error has already blocked in this turn, so it does not block again"
    : "check that the command of the hook works";
  const warning = `exit code 2 looks like a program error rather than a decision to block; ${next}`;
  const outcome = isRepeated ? "failed" : verdict.outcome;
  return { ...verdict, outcome, warnings: [...verdict.warnings, warning] };
}

/** Returns whether a failure of the hook blocks (H44). A hook in the background can never block. */
export function failsClosed({ handler }: ConfiguredHook): boolean {
  return handler.failClosed === true && !isBackground(handler);
}

/**
 * Turns a failure or an unclear output into a block if the hook's settings require that (H44). The user gets the
 * warnings as well.
 */
function blockIfFailed(hook: ConfiguredHook, verdict: verdicts.HookVerdict): verdicts.HookVerdict {
  const { outcome, isUnclear = false } = verdict;
  const isUsable = outcome === "block" || outcome === "end" || outcome === "cancelled";
  if (!failsClosed(hook) || isUsable || !(outcome === "failed" || isUnclear)) return verdict;
  const { context: _, ...rest } = verdict;
  return { ...rest, outcome: "block", reason: failureBlocks(hook, verdict.warnings.join("; ")) };
}

/** Ignores `continue: false` of a hook that was added within the turn, which can only block (H7). */
function withoutEnd(verdict: verdicts.HookVerdict): verdicts.HookVerdict {
  if (verdict.outcome !== "end") return verdict;
  const { stopReason: _, overruled: reason, ...rest } = verdict;
  const notes = verdict.notes.filter(
    (note) => !note.endsWith("because continue: false takes precedence")
  );
  const warnings = [
    ...verdict.warnings,
    "continue: false has no effect until your next message, because the hook was added during this turn",
  ];
  return { ...rest, outcome: reason === undefined ? "pass" : "block", reason, warnings, notes };
}

/** Limits the texts for the agent. A longer one is kept whole beside the hook's transcript, for the agent to read. */
async function fitVerdict(
  { runtime, keepBeside }: StopContext,
  verdict: verdicts.HookVerdict
): Promise<verdicts.HookVerdict> {
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

async function runBuiltin(
  name: string,
  run: HandlerRun,
  context: StopContext
): Promise<HandlerResult> {
  const builtin = context.builtins.get(name);
  if (builtin === undefined) return failedHandler(messages.builtinUnknown(name));
  const { runtime, projectDir, input, turn } = context;
  const { hook, timeoutMs, onOutput } = run;
  return await runLimited(run, async (signal) => {
    const returned: unknown = await builtin({
      runtime,
      projectDir,
      input,
      signal,
      timeoutMs,
      requestedContinuation: context.requestedContinuation.has(hook.name),
      ...turn,
      onOutput,
      checkout: context.checkout.get(name),
    });
    const output = returned ?? {};
    if (!isJsonObject(output))
      return failedHandler(
        "the function of the hook returned a value that is not an object; return an object or undefined"
      );
    const verdict = verdicts.judgeReading(readObject(output, hook.event));
    return resultOf(output.unverified === true ? { ...verdict, unverified: true } : verdict);
  });
}

/** Room for a path in the line that replaces the cut text. No file is written for a longer path. */
const MARKER_ROOM = 1_000;
/** The folder beside the transcript for texts that are too long. */
const SPILL_FOLDER = "hook-output";
const MAX_SPILLS = 50;

/**
 * Returns the text itself if it is short enough, otherwise at most 10,000 characters of it. `transcriptPath` is the one
 * that the hook got, on the machine of `files`. If no file can be written there, the text is cut all the same.
 */
export async function fitReason(
  files: Files,
  transcriptPath: string,
  text: string
): Promise<string> {
  if (text.length <= MAX_REASON_CHARS) return text;
  // A failure to write must not lose the verdict, even if `files` rejects.
  const path = await spill(files, transcriptPath, text).catch(() => undefined);
  const full = path === undefined ? "the full text could not be saved" : `full text in ${path}`;
  const marker = `\n\n[… shortened from ${text.length} characters; ${full} …]\n\n`;
  const half = Math.floor((MAX_REASON_CHARS - marker.length) / 2);
  const end = text.length;
  return `${sliceWhole(text, 0, half)}${marker}${sliceWhole(text, end - half, end)}`;
}

async function spill(
  files: Files,
  transcriptPath: string,
  text: string
): Promise<string | undefined> {
  if (!isAbsolute(transcriptPath) || transcriptPath.length > MARKER_ROOM) return undefined;
  const folder = join(dirname(transcriptPath), SPILL_FOLDER);
  // Equal texts share a file, so repeated texts do not fill the disk.
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`;
  const written = await files.writeFile(join(folder, name), text);
  if (written.isErr()) return undefined;
  await prune(files, folder, name);
  return join(folder, name);
}

async function prune(files: Files, folder: string, justWritten: string): Promise<void> {
  const listed = await files.list(folder);
  if (listed.isErr() || listed.value.length <= MAX_SPILLS) return;
  const paths = listed.value.filter((name) => name !== justWritten).map((n) => join(folder, n));
  const stats = await files.stat(paths);
  const age = (index: number): number => {
    const stat = stats[index];
    return stat !== undefined && "mtimeMs" in stat ? stat.mtimeMs : 0;
  };
  const oldestFirst = paths.map((path, i) => ({ path, at: age(i) })).sort((a, b) => a.at - b.at);
  const surplus = listed.value.length - MAX_SPILLS;
  for (const { path } of oldestFirst.slice(0, surplus)) await files.remove(path);
}

/**
 * Returns the message to the agent if a hook with `failClosed: true` has failed.
 *
 * @param problems the warnings of the run
 */
export function failureBlocks({ name, handler }: ConfiguredHook, problems: string): string {
  return `The hook ${name} (${hookTitle(handler)}) failed, so it is not known whether the work is done, and its settings do not allow a stop in that case (failClosed): ${problems}. If the cause is in your work, fix it. Otherwise report the failure to the user.`;
}
