/** Emits events to a listener that may throw. */
import type * as contract from "@/node/services/hooks/contract/types";

/** Emits an event. A listener that throws must not decide whether an agent stops. */
export function emitSafely(
  listener: ((event: contract.HookEvent) => void) | undefined,
  event: contract.HookEvent
): void {
  try {
    listener?.(event);
  } catch {
    // The progress display has failed, not the hooks.
  }
}
