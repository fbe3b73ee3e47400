/** What shows the events of a run (G30). */
import type { DetailLine } from "@/cli/gauntlet/render/gateDetails";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";

export interface RunView {
  /** @param details what is shown below the result of a gate */
  onEvent(event: RunEvent, details: readonly DetailLine[]): void;
  /** Removes what would be redrawn, because the process ends before the run. */
  clear(): void;
}
