/** Requests a compaction, as a user interface does. */
import type { ModelRequest } from "@test/host/model/ScriptedModel";
import { MODEL } from "@test/host/rig/HostRig";
import type { Chat } from "@test/host/rig/HostServer";

/** A text that the prompts of hosts that request a summary contain as well. */
const SUM_UP = "Summarize this conversation";

/** @param next the message after the summary; `Continue` resumes the agent's task */
export async function compact(chat: Chat, next?: string): Promise<void> {
  const followUp = { text: next, model: MODEL, agentId: "exec" };
  // The first name is that of newer hosts, the second that of older ones.
  const parsed = next === undefined ? {} : { followUpContent: followUp, continueMessage: followUp };
  await chat.send(SUM_UP, {
    agentId: "compact",
    mode: "compact",
    muxMetadata: { type: "compaction-request", rawCommand: "/compact", parsed },
  });
}

export function sumsUp({ said }: ModelRequest): boolean {
  return said.includes(SUM_UP);
}
