/**
 * Provides the gauntlet as a Stop hook in the process of the hook engine: gathers the facts about a stop, with the
 * trusted configuration, lets `decideStop` decide, and returns the hook's output (G27). Also records the beginning of
 * the turn, and does not block if the workspace's machine cannot be reached (H35).
 */
import { shownCommand, workspaceFlag } from "@/common/ownCommandName";
import { userHome } from "@/common/userHome";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { cameByCommit, changedDefinitions } from "@/node/services/gauntlet/hook/untrustedChanges";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import * as stopRules from "@/node/services/gauntlet/hook/stopDecision";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { ConfigToTrust } from "@/node/services/gauntlet/hook/ConfigToTrust";
import { fromGauntlet } from "@/node/services/gauntlet/messages/shared";
import { eventLines } from "@/node/services/gauntlet/report/eventLines";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import type * as builtins from "@/node/services/hooks/contract/builtinRegistry";
import { isLost } from "@/node/runtime/lostConnection";

export type GauntletHookOptions = Partial<Pick<stopRules.DecisionRequest, "env" | "home" | "now">>;

/** Returns the hook, to be registered as `gauntlet`. */
export function gauntletHook(options: GauntletHookOptions = {}): builtins.BuiltinHook {
  return async (context) => {
    const decision = await decide(context, options);
    const output = decision && (await toOutput(context, decision));
    if (!context.signal.aborted) await decision?.answered?.();
    return output;
  };
}

async function decide(
  context: builtins.BuiltinHookContext,
  { env = process.env, home = userHome(), now: clock = () => new Date() }: GauntletHookOptions
): Promise<stopRules.StopDecision | undefined> {
  const { runtime, input, signal, timeoutMs, checkout, projectDir, onOutput, ...turn } = context;
  // Without `checkout` the caller has settings of its own, so the project is found here.
  const dir = checkout ? undefined : await findGauntletProject(runtime, projectDir);
  const trusted = dir === undefined ? checkout?.pinned : await ConfigToTrust.read(runtime, dir);
  if (!(trusted instanceof ConfigToTrust)) return undefined;
  const current = checkout?.current instanceof ConfigToTrust ? checkout.current : trusted;
  const { turnId, turnBegan } = turn;
  // The clock of another machine may differ.
  if (turnBegan !== undefined && !runtime.isRemote) {
    const { cwd, session_id: sessionId } = input;
    const began = { isLate: true, now: () => turnBegan };
    await recordTurnStart({ runtime, cwd, sessionId, turnId, ...began });
  }
  const isBroken = trusted.problem === undefined && current.problem !== undefined;
  const present = checkout && !checkout.current ? ({ kind: "none" } as const) : current.loaded;
  const gates = changedDefinitions(trusted.loaded, present);
  const hasChanged = gates === "all" || gates.size > 0;
  const gitDir = hasChanged ? await findGitDir(runtime, trusted.dir) : undefined;
  const where = gitDir === undefined ? undefined : { runtime, dir: trusted.dir, gitDir };
  const old = where && { gates, byAgent: !(await cameByCommit(where)) };
  return await decideStop({
    runtime,
    cwd: input.cwd,
    project: trusted,
    configProblem: isBroken ? current.problem : undefined,
    stopHookActive: input.stop_hook_active,
    withBlock: true,
    old,
    isPlanning: input.permission_mode === "plan",
    verify: true,
    sessionId: input.session_id,
    listener: (event) => {
      if (!["gate-end", "slot-start", "slot-end"].includes(event.type)) return;
      for (const line of eventLines(event)) onOutput?.(`${line}\n`, false);
    },
    lastMessage: input.last_assistant_message,
    backgroundTasks: input.background_tasks,
    transcriptPath: runtime.isRemote ? undefined : input.transcript_path,
    // Empty after a restart within a turn, and for a caller without a controller.
    turnId: turnId || undefined,
    beginsTurn: true,
    isHostTurn: turn.isHostTurn,
    env,
    home,
    now: clock,
    signal,
    limitMs: stopRules.runLimitMs(timeoutMs),
  });
}

/** Sends only failures to the agent. The user receives the message of a failure, and the messages that G25a lists. */
async function toOutput(
  { runtime, projectDir }: builtins.BuiltinHookContext,
  { result, personMessage, verifies, record }: stopRules.StopDecision
): ReturnType<builtins.BuiltinHook> {
  const blocks = isBlockingStatus(result.status);
  const { openGates = [] } = result;
  // Nothing had to be verified, or everything was.
  const isSettled =
    isSuccessStatus(result.status) || ["no_config", "stop_hook_disabled"].includes(result.status);
  const unverified = !blocks && !(isSettled && openGates.length === 0);
  /** How the commands that a message names reach a project on another machine. */
  const reach = runtime.label.startsWith("ssh://")
    ? `commands for this project need${workspaceFlag(runtime, projectDir)}`
    : `run the commands on ${runtime.label}; only "trust" is run in the project on this machine`;
  const messageWith = (problems: readonly string[] = []): string | undefined => {
    const lines = [...(personMessage?.split("\n") ?? []), ...problems];
    const text = lines.map(fromGauntlet).join("\n");
    const isNamed = runtime.isRemote && text.includes(`${shownCommand()} `);
    return `${text}${isNamed ? ` (${reach})` : ""}` || undefined;
  };
  if (!blocks) {
    const shown = messageWith(await record?.());
    return unverified || shown !== undefined ? { systemMessage: shown, unverified } : undefined;
  }
  const lost = await whyOutOfReach(runtime, projectDir);
  if (lost !== undefined) {
    return {
      systemMessage: fromGauntlet(`the results of the gates are unknown: ${lost}`),
      unverified: true,
    };
  }
  const reason = await stopReason(runtime, result, { canStopOnlyWhenDone: verifies });
  return { decision: "block", reason, systemMessage: messageWith(await record?.(reason)) };
}

/**
 * Returns why the machine is unreachable, or undefined if it is not. A stop is not blocked if its machine is
 * unreachable, regardless of the results of the gates (H35).
 */
async function whyOutOfReach(
  runtime: HookRuntime,
  projectDir: string
): Promise<string | undefined> {
  if (!runtime.isRemote) return undefined;
  const [stat] = await runtime.stat([projectDir]);
  return stat?.kind === "failed" && isLost(stat.failure) ? stat.failure.message : undefined;
}
