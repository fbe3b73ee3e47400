/** The message that sends an agent back to work (H18). */
import type { HookEventName, StopHooksResult } from "@/node/services/hooks/contract/types";
import { continuationHeading } from "@/node/services/hooks/messages/stop";

/** Returns exactly what the agent sees: a heading that names the event, and the joined reasons. */
export function continuationMessage(
  event: HookEventName,
  { continueKind, continueReason }: Pick<StopHooksResult, "continueKind" | "continueReason">
): string {
  return `${continuationHeading(event, continueKind === "feedback")}\n${continueReason ?? ""}`;
}
