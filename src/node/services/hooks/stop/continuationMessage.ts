/** The message that sends an agent back to work (H18). */
import type { HookEventName, StopHooksResult } from "@/node/services/hooks/contract/types";

/** Exactly what the agent sees: a heading that says who speaks, and the joined reasons. */
export function continuationMessage(
  event: HookEventName,
  { continueKind, continueReason }: Pick<StopHooksResult, "continueKind" | "continueReason">
): string {
  const asks = continueKind === "feedback" ? "hook feedback" : "hook requested continuation";
  return `[${event} ${asks}]\n${continueReason ?? ""}`;
}
