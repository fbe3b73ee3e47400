/** The door of the hook engine: whatever is not here is its own business. */
export { BuiltinHooks } from "@/node/services/hooks/builtinHooks";
export type {
  BuiltinHook,
  BuiltinHookContext,
  InspectCheckout,
  ReadableFiles,
  Registration,
} from "@/node/services/hooks/builtinHooks";
export { continuationMessage } from "@/node/services/hooks/continuation";
export { hookTitle } from "@/node/services/hooks/hookTitle";
export { planHooks, type HookPlan } from "@/node/services/hooks/hookPlan";
export { recordPath } from "@/node/services/hooks/hookRecords";
export { hookTimeoutMs, isBackground } from "@/node/services/hooks/hookTimeout";
export { runsGauntlet } from "@/node/services/hooks/programCalls";
export {
  listHandlers,
  replaceCommands,
  type FileHandler,
} from "@/node/services/hooks/settingsCommands";
export { addHook } from "@/node/services/hooks/settingsEdit";
export { parseSettings } from "@/node/services/hooks/settingsFile";
export { loadHookSettings, type LoadOptions } from "@/node/services/hooks/settingsLoader";
export { claudePaths, findLocalSettings, findUserRoot } from "@/node/services/hooks/settingsPaths";
export type { HookConfig, HookHandler } from "@/node/services/hooks/settingsSchema";
export { runStopHooks, type RunStopHooksOptions } from "@/node/services/hooks/stopHookExecutor";
export {
  StopHookController,
  type FinishedTurn,
  type StopHookControllerOptions,
  type StopVerdict,
} from "@/node/services/hooks/stopHookController";
export { continuationsInTurn } from "@/node/services/hooks/transcript/continuations";
export { parseRows } from "@/node/services/hooks/transcript/rows";
export { trustEverything } from "@/node/services/hooks/trustPolicy";
export type { TrustDecision, TrustPolicy, TrustRequest } from "@/node/services/hooks/trustPolicy";
export {
  lastTrusted,
  recordTrust,
  revokeTrust,
  storedTrust,
  type StoredTrustOptions,
} from "@/node/services/hooks/trustStore";
export { trustStorePath, type TrustStore } from "@/node/services/hooks/trustFile";
export {
  areEqual,
  changedFiles,
  filesOf,
  isNothing,
  NO_DEFINITIONS,
  type Definitions,
  type RecordedContent,
} from "@/node/services/hooks/definitions";
export { describeEnd } from "@/node/services/hooks/endReason";
export { FrozenTurn } from "@/node/services/hooks/FrozenTurn";
export type { TurnFinish } from "@/node/services/hooks/turnEligibility";
export { HOOK_EVENTS } from "@/node/services/hooks/types";
export type {
  CheckoutPart,
  CheckoutView,
  ConfiguredHook,
  HookEvent,
  HookEventName,
  HookOutcome,
  HookRun,
  HookSettings,
  SkippedHook,
  StopHookInput,
  StopHooksResult,
  TrustItem,
  TrustState,
} from "@/node/services/hooks/types";
