/** Having a conversation summed up, as a user interface has it done. */
import type { ModelRequest } from "@test/host/model/ScriptedModel";
import { MODEL } from "@test/host/rig/HostRig";
import type { Chat } from "@test/host/rig/HostServer";

/** Of what hosts, too, ask for a summary with. */
const SUM_UP = "Summarize this conversation";

/** @param next what is said to the agent afterwards; `Continue` goes on with what it was at */
export async function compact(chat: Chat, next?: string): Promise<void> {
  const followUp = { text: next, model: MODEL, agentId: "exec" };
  // Under the name that newer hosts have for it, and under that of older ones.
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
