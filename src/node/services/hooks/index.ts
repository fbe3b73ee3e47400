/** The public interface of the hook engine. Everything else in this folder is internal. */
export { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
export type {
  HookAnswer,
  HookModel,
  ModelQuestion,
} from "@/node/services/hooks/contract/hookModel";
export { continuationMessage } from "@/node/services/hooks/stop/continuationMessage";
export { identityOf } from "@/node/services/hooks/contract/hookIdentity";
export { hookTitle } from "@/node/services/hooks/contract/hookTitle";
export { planHooks, type HookPlan } from "@/node/services/hooks/stop/selectHooks";
export {
  hookLogPaths,
  type HookLogEntry,
  type PersonFiles,
} from "@/node/services/hooks/stop/hookLog";
export { describeImportHint } from "@/node/services/hooks/settings/hints/importHint";
export { scriptsOf } from "@/node/services/hooks/settings/hints/dialectHint";
export { withFileLock } from "@/node/services/hooks/settings/edit/fileLock";
export { setHandlerKey, setTopLevelKey } from "@/node/services/hooks/settings/edit/setKey";
export { hookTimeoutMs, isBackground } from "@/node/services/hooks/contract/timeouts";
export { invokedPrograms, runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";
export {
  listHandlers,
  replaceFields,
  type FileHandler,
} from "@/node/services/hooks/settings/commandsOf";
export {
  GROUPED_HOOKS,
  handlerNodes,
  type HookFormat,
} from "@/node/services/hooks/settings/hookFormat";
export { addHook } from "@/node/services/hooks/settings/insertHook";
export { isWithoutContent, removeHooks } from "@/node/services/hooks/settings/removeHooks";
export { HANDLER_SKIPPED } from "@/node/services/hooks/messages/settings";
export { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
export { parseSettings } from "@/node/services/hooks/settings/parseFile";
export { findClaude } from "@/node/services/hooks/settings/claude/findClaude";
export { restrictClaude } from "@/node/services/hooks/settings/claude/restrictClaude";
export type { FoundHook } from "@/node/services/hooks/settings/parseFile";
export type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
export {
  loadHookSettings,
  NO_SETTINGS,
  type LoadOptions,
} from "@/node/services/hooks/settingsLoader";
export {
  claudePaths,
  findLocalSettings,
  findMainProject,
  FILE_LAYERS,
  findLayerFile,
  type FileLayer,
  findUserRoot,
} from "@/node/services/hooks/settings/paths";
export { findOwningCheckout } from "@/node/services/hooks/settings/linkedWorktree";
export type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";
export { runStopHooks } from "@/node/services/hooks/stopHookExecutor";
export {
  StopHookController,
  type FinishedTurn,
  type StopHookControllerOptions,
  type StopVerdict,
} from "@/node/services/hooks/stop/stopHookController";
export { modelFields } from "@/node/services/hooks/contract/modelFields";
export {
  continuationRow,
  continuationsInTurn,
} from "@/node/services/hooks/transcript/continuations";
export { parseRows } from "@/node/services/hooks/transcript/rows";
export {
  findTrustedMain,
  findTrustStore,
  trustedAs,
  userTrust,
} from "@/node/services/hooks/trust/userTrust";
export { trustEverything } from "@/node/services/hooks/trust/trustPolicy";
export type {
  TrustDecision,
  TrustPolicy,
  TrustRequest,
} from "@/node/services/hooks/trust/trustPolicy";
export {
  lastTrusted,
  recordTrust,
  revokeTrust,
  type StoredTrustOptions,
} from "@/node/services/hooks/trust/store";
export { readTrustRecord, type TrustStore } from "@/node/services/hooks/trust/file";
export {
  beginGates,
  gatesTrust,
  noteWaiting,
  refuseGates,
  trustGates,
  type GateFiles,
  type GatesTrust,
  type TrustedGates,
} from "@/node/services/hooks/trust/gates";
export { ReadRecorder, recordedFiles } from "@/node/services/hooks/settings/builtinInputs";
export {
  areEqual,
  changedFiles,
  filesOf,
  isNothing,
  listFiles,
  NO_DEFINITIONS,
  type Definitions,
  type RecordedContent,
} from "@/node/services/hooks/settings/definitions";
export { describeEnd } from "@/node/services/hooks/stop/endReason";
export { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
export type { TurnFinish } from "@/node/services/hooks/stop/turnEligibility";
export { HOOK_EVENTS } from "@/node/services/hooks/contract/types";
export type {
  ConfiguredHook,
  HookEvent,
  HookEventName,
  HookOutcome,
  HookRun,
  HookSettings,
  StopHookInput,
  StopHooksResult,
  TrustState,
} from "@/node/services/hooks/contract/types";
