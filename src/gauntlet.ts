/**
 * The public API `mux-stop-hooks/gauntlet`: runs quality gates, by themselves (`executeRun`) or as a Stop hook of a
 * program (`createBuiltins`), and exports the types of their results and events.
 */
export type { RunEvent, RunListener } from "@/node/services/gauntlet/domain/runResult";
export type { Finding, FindingSeverity } from "@/node/services/gauntlet/domain/findings/finding";
export type {
  GateOutcome,
  GateResult,
  Job,
  SlotResult,
} from "@/node/services/gauntlet/domain/gate";
export type { KnownPart } from "@/node/services/gauntlet/messages/known";
export type { ResultShard, RunIdentity } from "@/node/services/gauntlet/domain/runResult";
export type { OpenGate, RunResult, SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
export {
  GAUNTLET_STATUSES,
  isBlockingStatus,
  isSuccessStatus,
  type GauntletStatus,
} from "@/node/services/gauntlet/domain/runStatus";
export { executeRun } from "@/node/services/gauntlet/run/executeRun";
export type { RunOptions, RunScope } from "@/node/services/gauntlet/run/runOptions";
export { createBuiltins } from "@/wiring";
