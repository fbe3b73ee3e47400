/** The time limit of the git calls after the gates (G27c). */
import { expect, test, vi } from "vitest";
import { closing } from "@/node/services/gauntlet/run/execute/executePlan";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";

test("the git calls after the gates end after 8 s, or with the stop", () => {
  vi.useFakeTimers();
  try {
    const abort = new AbortController();
    const signalOf = (limitMs: number | undefined) =>
      closing({ options: { limitMs, signal: abort.signal }, context: {} } as GauntletRunContext)
        .context.signal;
    expect(signalOf(undefined)).toBeUndefined();
    const limited = signalOf(60_000);
    vi.advanceTimersByTime(7_999);
    expect(limited?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limited?.aborted).toBe(true);
    const stopped = signalOf(60_000);
    abort.abort();
    expect(stopped?.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
