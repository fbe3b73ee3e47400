/** Turns gates that the run's own time limit cancelled into failures, because a check that hangs has not passed (G27c). */
import type { RunEvent, RunListener } from "@/node/services/gauntlet/domain/events";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { gateOverLimit } from "@/node/services/gauntlet/messages/run";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

type Limits = Pick<RunOptions, "signal" | "limitMs">;

/** Returns who ended a run before its gates finished, or undefined if it was not ended. */
export function endedBy(
  { signal: person }: Limits,
  signal: AbortSignal | undefined
): "person" | "limit" | undefined {
  if (signal?.aborted !== true) return undefined;
  return person?.aborted === true ? "person" : "limit";
}

/** Turns cancelled checks into failures once any gate has started. A review counts as an unreachable reviewer (G13). */
export class LimitFailures {
  #hasStarted = false;

  constructor(
    private readonly options: Limits,
    private readonly signal: AbortSignal | undefined
  ) {}

  /** Records whether a gate has started, and passes each event on. */
  watch(emit: RunListener): RunListener {
    return (event: RunEvent) => {
      if (event.type === "gate-start") this.#hasStarted = true;
      emit(event);
    };
  }

  readonly settle = (result: GateResult): GateResult => {
    const isOver = endedBy(this.options, this.signal) === "limit";
    if (!isOver || !this.#hasStarted || result.outcome !== "cancelled") return result;
    const seconds = Math.round((this.options.limitMs ?? 0) / 100) / 10;
    const failed = { ...result, message: gateOverLimit(seconds), overLimit: true };
    return result.kind === "check"
      ? { ...failed, outcome: "failed" }
      : { ...failed, outcome: "error", unreachable: true };
  };
}
