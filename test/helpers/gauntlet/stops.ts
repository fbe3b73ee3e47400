/** Stops of an agent in a project, decided in this process as a Stop hook decides them. */
import { vi } from "vitest";
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import type { DecisionRequest, StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { expectSoon } from "@test/helpers/soon";

export interface StopOptions extends Partial<Omit<DecisionRequest, "runtime">> {
  /** The current folder, relative to the project. */
  readonly from?: string;
}

/** Decides a stop like `stop-hook --verify` of an agent host that sends no session. */
export async function stopAt(
  project: GauntletProject,
  { from = ".", ...request }: StopOptions = {}
): Promise<StopDecision> {
  return await decideStop({
    runtime: project.runtime,
    cwd: project.path(from),
    stopHookActive: false,
    verify: true,
    beginsTurn: false,
    env: {},
    home: project.path(".git/home"),
    now: () => new Date(),
    limitMs: 60_000,
    ...request,
  });
}

export async function statusAt(project: GauntletProject, options?: StopOptions) {
  return (await stopAt(project, options)).result.status;
}

/** A time limit that no machine reaches by itself. */
export const LONG_MS = 777_777;

/** Lets the time limit `LONG_MS` of a run pass as soon as `isDue`, however long the machine has taken until then. */
export async function untilOver<T>(isDue: () => unknown, act: () => Promise<T>): Promise<T> {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const bigint = process.hrtime.bigint.bind(process.hrtime);
  let passed = 0n;
  const clock = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => bigint() + passed);
  try {
    const ended = act();
    await expectSoon(isDue).toBe(true);
    passed = BigInt(LONG_MS) * 1_000_000n;
    // The limit of a run is in whole seconds, and less by what the stop took before.
    timers.mock.calls.find(([, ms = 0]) => ms > LONG_MS - 77_777 && ms <= LONG_MS)?.[0]();
    return await ended;
  } finally {
    clock.mockRestore();
    timers.mockRestore();
  }
}
