/** Runs the hooks of a session at its events. All functions reject if opencode does not answer. */
import { isJsonObject } from "@/common/json";
import type { PluginInstance } from "@/opencode/instance";
import type { Part, ToolCall, ToolResult } from "@/opencode/opencodeTypes";
import type { ChangedAnswer } from "@/opencode/SessionHooks";
import { hooksOf, newTaskOf } from "@/opencode/sessions";
import { sharedState } from "@/opencode/sharedState";
import { isFromUser } from "@/opencode/turnState";

/** The tool that starts sub-agents. */
const TASK = "task";

/** Begins a turn if a user wrote the message, or if it is the task of a sub-agent. */
export async function messageAdded(
  instance: PluginInstance,
  sessionID: string,
  parts: readonly Part[]
): Promise<void> {
  if (!isFromUser(parts)) return;
  const { tasks, reporting } = sharedState();
  let hooks = await hooksOf(instance, sessionID);
  const isTask = hooks.parentID !== undefined && (tasks.get(hooks.parentID)?.size ?? 0) > 0;
  if (isTask) {
    reporting.add(sessionID);
    // An agent may continue a sub-agent of an earlier turn, whose plan is outdated.
    if (hooks.hasBegun) hooks = await newTaskOf(instance, sessionID);
  } else {
    reporting.delete(sessionID);
  }
  await hooks.beginTurn(instance);
}

/** Runs the hooks of an agent that has stopped. Those of a sub-agent with a task run in {@link taskEnded}. */
export async function sessionIdle(
  instance: PluginInstance,
  sessionID: string,
  eventID: string | undefined
): Promise<void> {
  sessionInterrupted(sessionID);
  const { sessions, reporting } = sharedState();
  if (reporting.has(sessionID)) return;
  const hooks = await sessions.get(sessionID);
  await hooks?.agentStopped(instance, eventID);
}

/** Ends the hooks of sub-agents for which a session waits. It would not be idle if it still waited. */
export function sessionInterrupted(sessionID: string): void {
  const { held, tasks } = sharedState();
  tasks.delete(sessionID);
  for (const hooks of held.get(sessionID) ?? []) hooks.interrupt();
}

export function taskBegins({ tool, sessionID, callID }: ToolCall): void {
  if (tool !== TASK) return;
  const { tasks } = sharedState();
  tasks.set(sessionID, (tasks.get(sessionID) ?? new Set()).add(callID));
}

/** Runs the hooks of a sub-agent. If they send it back, its parent gets the last report instead of the first one. */
export async function taskEnded(
  instance: PluginInstance,
  { tool, sessionID, callID }: ToolCall,
  result: ToolResult
): Promise<void> {
  if (tool !== TASK) return;
  const { sessions, tasks, reporting, held } = sharedState();
  tasks.get(sessionID)?.delete(callID);
  const { metadata } = result;
  if (!isJsonObject(metadata) || typeof metadata.sessionId !== "string") return;
  const childID = metadata.sessionId;
  if (metadata.background === true) {
    // The parent has no report yet. The hooks run when the sub-agent is idle.
    reporting.delete(childID);
    return;
  }
  const hooks = await sessions.get(childID);
  if (hooks === undefined) return;
  const waiting = (held.get(sessionID) ?? new Set()).add(hooks);
  held.set(sessionID, waiting);
  try {
    const change = await hooks.agentStopped(instance);
    if (change !== undefined) result.output = replaceReport(result.output, change);
  } finally {
    waiting.delete(hooks);
    reporting.delete(childID);
  }
}

/** Keeps the text that opencode adds to a report. */
function replaceReport(output: string, { first, last }: ChangedAnswer): string {
  const at = first === "" ? -1 : output.indexOf(first);
  if (at === -1) return last;
  return output.slice(0, at) + last + output.slice(at + first.length);
}
