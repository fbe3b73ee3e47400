/**
 * Decides a stop for `stop-hook` if `stopHookProcess.ts` has no early answer: requires trust, runs the gates, and
 * answers the agent host (G22–G28). If the host names a second project, the gates of both run, in one answer. After an
 * interrupt it prints no answer.
 */
import { userHome } from "@/common/userHome";
import { onInterrupt, type CliContext, type ExitCode, interruptible } from "@/cli/context";
import { textOf } from "@/cli/gauntlet/hosts/hostParts";
import type { StopInput } from "@/cli/gauntlet/hosts/types";
import { parseObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { give, type Outputs } from "@/cli/gauntlet/stopHook/writeAnswer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/stopHookProcess";
import { realProject } from "@/cli/gauntlet/stopHook/realProjectPath";
import { gatesForStop } from "@/cli/gauntlet/trust/gatesForStop";
import { findOwnCommand } from "@/cli/findOwnCommand";
import { setOwnCommand } from "@/common/ownCommandName";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import { isCi } from "@/common/isCi";
import { joinMessages, personMessage } from "@/node/services/gauntlet/domain/stopAudience";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import * as stopRules from "@/node/services/gauntlet/hook/stopDecision";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { secondSession, sessionKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import { visible } from "@/common/safeText";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** Decides a stop with the environment and the signals of this process. Returns its exit code. */
export async function decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode> {
  const { env } = process;
  const [, program = ""] = process.argv;
  setOwnCommand(() => findOwnCommand({ env, cwd: process.cwd(), program }));
  return await decide(stop, { ...outputs, env, home: userHome(), onInterrupt });
}

type DecideContext = Pick<CliContext, "stdout" | "stderr" | "env" | "home" | "onInterrupt">;

/** Decides a stop, and runs the gates if a run is due. A signal ends the run, and then nothing is printed. */
export async function decide(given: OpenStop, context: DecideContext): Promise<ExitCode> {
  const { host, options, projectHint } = given;
  const until = performance.now() + stopRules.runLimitMs(options.limitS * 1_000);
  return await interruptible(context, async (signal) => {
    const runtime = new FastStartRuntime({ env: context.env });
    const cwd = await realProject(runtime, given.cwd);
    const hint = projectHint && (await realProject(runtime, projectHint));
    const stops = await stopsIn(runtime, { ...given, cwd, projectHint: hint });
    const decisions: FolderDecision[] = [];
    for (const one of stops) {
      const limitMs = Math.max(until - performance.now(), 1);
      decisions.push(await decideIn(one, { runtime, signal, limitMs }, context));
    }
    if (signal.aborted) {
      // A host ends a hook at its time limit with SIGTERM. The record of this stop remains then, so that the user is
      // notified later (G40); any other signal comes from the user and discards it.
      if (signal.reason !== "SIGTERM") for (const { discarded } of decisions) await discarded?.();
      return 0;
    }
    const blocking = decisions.filter(({ result }) => isBlockingStatus(result.status));
    const maxChars = Math.floor(host.limits.reasonChars / Math.max(blocking.length, 1));
    const reasons = new Map<FolderDecision, string>();
    for (const decision of blocking) {
      const isOnlyTry = host.limits.isOnce === true;
      const fit = { maxChars, canStopOnlyWhenDone: decision.verifies && !isOnlyTry, isOnlyTry };
      const { stopReason } = await import("@/node/services/gauntlet/hook/stopReason");
      reasons.set(decision, await stopReason(runtime, decision.result, fit));
    }
    const unwritten: string[] = [];
    for (const decision of decisions) {
      unwritten.push(...((await decision.record?.(reasons.get(decision))) ?? []));
    }
    const repeats = decisions.flatMap((decision) => decision.repeats ?? []);
    const reason = [...reasons.values(), ...repeats].join("\n\n");
    const shown = decisions.flatMap(({ folder, personMessage: text }) =>
      text === undefined ? [] : [{ folder: visible(folder), text }]
    );
    const texts = stops.length === 1 ? shown[0]?.text : joinMessages(shown);
    const message = [...(texts ? [texts] : []), ...unwritten].join("\n") || undefined;
    const unverified = decisions.filter(({ result }) => !isSuccessStatus(result.status));
    const [decisive] = [...blocking, ...unverified, ...decisions];
    const code = give(context, host, {
      // The answer of the last hook of a stop may replace the others.
      result:
        repeats.length > 0 ? createResult("failed") : (decisive?.result ?? createResult("error")),
      warnings: decisions.flatMap(({ warnings, result }) => [...warnings, ...result.warnings]),
      reason: reason || undefined,
      personMessage: message,
    });
    for (const decision of decisions) await decision.answered?.(reasons.get(decision));
    return code;
  });
}

/** The decision for the project of one folder. */
interface FolderDecision extends stopRules.StopDecision {
  readonly folder: string;
}

/** Decides the stop for the project of one folder. */
async function decideIn(
  stop: OpenStop,
  { runtime, signal, limitMs }: Pick<stopRules.DecisionRequest, "runtime" | "signal" | "limitMs">,
  { env, home }: DecideContext
): Promise<FolderDecision> {
  const { host, input, options, cwd, projectHint } = stop;
  const place = { ...{ runtime, env, home, cwd, projectHint }, now: () => new Date() };
  // A stop that is not checked in any case needs no trust (G27).
  const isOpen = input.stopHookActive === true && !options.verify;
  const trust = isOpen ? undefined : await gatesForStop({ ...place, sessionId: input.sessionId });
  if (trust?.kind === "untrusted") {
    const { why: errorMessage, caveat } = trust;
    const result = createResult("stop_hook_disabled", { errorMessage, caveat });
    const text = personMessage(result);
    return { folder: cwd, result, warnings: [], verifies: false, personMessage: text };
  }
  const decision = await decideStop({
    ...{ ...input, ...place, signal, limitMs },
    stopHookActive: input.stopHookActive === true,
    verify: options.verify,
    beginsTurn: host.beginsTurnWhenInactive && input.stopHookActive === false,
    lastMessage: host.joinsMessages === true ? await lastOfTurn(runtime, input) : input.lastMessage,
    isHeadless: isCi(env),
    isOnlyTry: host.limits.isOnce,
    startedAt: performance.timeOrigin,
    ...trust,
  });
  return { folder: cwd, ...decision };
}

/** Returns the stop for the project of `cwd`, and for the one that the agent host names, if it is another one (G24). */
async function stopsIn(runtime: FastStartRuntime, stop: OpenStop): Promise<OpenStop[]> {
  const { cwd, projectHint, input } = stop;
  if (projectHint?.startsWith("/") !== true || projectHint === cwd) return [stop];
  const [here, there] = await Promise.all(
    [cwd, projectHint].map(async (folder) => {
      const dir = (await findGauntletProject(runtime, folder)) ?? "";
      return { dir, gitDir: dir === "" ? undefined : await findGitDir(runtime, dir) };
    })
  );
  if (here?.gitDir === undefined || there?.gitDir === undefined || here.dir === there.dir) {
    return [stop];
  }
  const other = { ...stop, cwd: projectHint };
  if (here.gitDir !== there.gitDir) return [stop, other];
  const sessionId = secondSession(input.sessionId, here.dir);
  const store = new TurnStore(runtime, here.gitDir);
  const turn = await store.read("turns", sessionKey(input.sessionId));
  const key = sessionKey(sessionId);
  const own = await store.read("turns", key);
  // The message came while the agent was not here yet.
  if (turn?.at && turn.at > (own?.at ?? "")) {
    const { isHeld, failed, turn: id } = (await store.read("sessions", key)) ?? {};
    const reset = isHeld === true && id === own?.id ? { at: turn.at, failed } : undefined;
    await store.write("turns", key, { ...turn, reset });
    // Those of an older message.
    await store.remove("gates", key);
  }
  return [{ ...stop, input: { ...input, sessionId } }, other];
}

const TRANSCRIPT_BYTES = 256 * KIB;

/**
 * Returns the last message of the agent with a text, by the transcript of Gemini CLI, whose hook input joins all
 * messages of a turn (G38). Returns the whole turn if the hook input does not end with that message.
 */
export async function lastOfTurn(
  files: Files,
  { transcriptPath, lastMessage }: StopInput
): Promise<string | undefined> {
  if (transcriptPath?.startsWith("/") !== true) return lastMessage;
  const end = await readText(files, transcriptPath, { maxBytes: TRANSCRIPT_BYTES, tail: true });
  for (const line of (end ?? "").split("\n").reverse()) {
    const { type, content } = parseObject(line);
    const text = type === "gemini" ? textOf(content) : "";
    if (text.trim() !== "") return lastMessage?.endsWith(text) === true ? text : lastMessage;
  }
  return lastMessage;
}
