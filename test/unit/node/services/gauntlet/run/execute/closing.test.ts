/** The time limit of the git calls after the gates (G27c). */
import { expect, onTestFinished, test, vi } from "vitest";
import { closing } from "@/node/services/gauntlet/run/execute/executePlan";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";

test("the git calls after the gates end after 8 s", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const given = { options: { limitMs: 60_000 }, context: {} } as GauntletRunContext;
  const { signal } = closing(given).context;
  vi.advanceTimersByTime(7_999);
  expect(signal?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal?.aborted).toBe(true);
});
