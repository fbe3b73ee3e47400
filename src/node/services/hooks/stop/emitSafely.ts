import type { HookEvent } from "@/node/services/hooks/contract/types";

/** A listener that throws must not decide whether an agent stops. */
export function emitSafely(
  listener: ((event: HookEvent) => void) | undefined,
  event: HookEvent
): void {
  try {
    listener?.(event);
  } catch {
    // What shows the progress of hooks has failed; the hooks have not.
  }
}
