/** The message that sends an agent back to work (H18). */
import type { HookEventName, StopHooksResult } from "@/node/services/hooks/contract/types";

/** Returns exactly what the agent sees: a heading that names the event, and the joined reasons. */
export function continuationMessage(
  event: HookEventName,
  { continueKind, continueReason }: Pick<StopHooksResult, "continueKind" | "continueReason">
): string {
  const asks = continueKind === "feedback" ? "hook feedback" : "hook requested continuation";
  return `[${event} ${asks}]\n${continueReason ?? ""}`;
}
