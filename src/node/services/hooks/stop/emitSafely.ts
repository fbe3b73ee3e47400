import type { HookEvent } from "@/node/services/hooks/contract/types";

/** Emits an event. A listener that throws must not decide whether an agent stops. */
export function emitSafely(
  listener: ((event: HookEvent) => void) | undefined,
  event: HookEvent
): void {
  try {
    listener?.(event);
  } catch {
    // The progress display has failed, not the hooks.
  }
}
