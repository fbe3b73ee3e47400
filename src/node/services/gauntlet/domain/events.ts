import type { GateResult, Job, SlotResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";

/** An event of a run in progress. Reporters receive it, but cannot change the run. */
export type RunEvent =
  | { readonly type: "notice"; readonly level: "info" | "warning"; readonly text: string }
  | { readonly type: "plan"; readonly jobs: readonly Job[] }
  | { readonly type: "gate-start"; readonly job: Job; readonly logPath: string }
  /** A review consists of slots. Each has its own reviewer and result. */
  | {
      readonly type: "slot-start";
      readonly job: Job;
      readonly slot: Pick<SlotResult, "slot" | "reviewer">;
    }
  | { readonly type: "slot-end"; readonly job: Job; readonly slot: SlotResult }
  | { readonly type: "gate-end"; readonly result: GateResult }
  | { readonly type: "run-end"; readonly result: RunResult };

export type RunListener = (event: RunEvent) => void;
