/** Rewrites the paths of a result's logs after a clean moved them to `previous/` (G15a). */
import { posix } from "node:path";
import type { GateResult, SlotResult } from "@/node/services/gauntlet/domain/gate";
import { PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";

export function movedLog(gate: GateResult, logDir: string): GateResult {
  const { findingsPath } = gate;
  return {
    ...gate,
    ...movedPaths(gate, logDir),
    ...(findingsPath === undefined ? {} : { findingsPath: inPrevious(findingsPath, logDir) }),
    ...movedSlots(gate, logDir),
  };
}

function movedSlots({ slots }: GateResult, logDir: string): Pick<GateResult, "slots"> {
  return slots === undefined
    ? {}
    : { slots: slots.map((slot) => ({ ...slot, ...movedPaths(slot, logDir) })) };
}

function movedPaths(
  { logPath, jsonPath }: Pick<SlotResult, "logPath" | "jsonPath">,
  logDir: string
) {
  return {
    ...(logPath === undefined ? {} : { logPath: inPrevious(logPath, logDir) }),
    ...(jsonPath === undefined ? {} : { jsonPath: inPrevious(jsonPath, logDir) }),
  };
}

export function inPrevious(path: string, logDir: string): string {
  return posix.join(logDir, PREVIOUS_FOLDER, posix.basename(path));
}
