/** The public interface of the hook engine. Everything else in this folder is internal. */
export { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
export * from "@/node/services/hooks/contract/hookModel";
export { continuationMessage } from "@/node/services/hooks/stop/endReason";
export { identityOf } from "@/node/services/hooks/contract/hookIdentity";
export { hookTitle } from "@/node/services/hooks/contract/hookTitle";
export { planHooks, type HookPlan } from "@/node/services/hooks/stop/selectHooks";
export * from "@/node/services/hooks/stop/hookLog";
export { describeImportHint } from "@/node/services/hooks/settings/importHint";
export { scriptsOf } from "@/node/services/hooks/settings/dialectHint";
export { withFileLock } from "@/node/services/hooks/settings/fileLock";
export * from "@/node/services/hooks/settings/editHooks";
export { hookTimeoutMs, isBackground } from "@/node/services/hooks/contract/timeouts";
export { invokedPrograms, runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";
export { isWithoutContent, removeHooks } from "@/node/services/hooks/settings/removeHooks";
export { HANDLER_SKIPPED } from "@/node/services/hooks/messages/shared";
export { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
export { parseSettings } from "@/node/services/hooks/settings/parseFile";
export { findClaude } from "@/node/services/hooks/settings/claude/readClaude";
export { restrictClaude } from "@/node/services/hooks/settings/claude/claudeSettings";
export type { FoundHook } from "@/node/services/hooks/settings/parseFile";
export type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
export * from "@/node/services/hooks/settingsLoader";
export * from "@/node/services/hooks/settings/paths";
export type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";
export { runStopHooks } from "@/node/services/hooks/stopHookExecutor";
export * from "@/node/services/hooks/stop/stopHookController";
export { modelFields } from "@/node/services/hooks/contract/input";
export {
  continuationRow,
  continuationsInTurn,
  parseRows,
} from "@/node/services/hooks/transcript/rows";
export * from "@/node/services/hooks/trust/userTrust";
export * from "@/node/services/hooks/trust/trustPolicy";
export * from "@/node/services/hooks/trust/store";
export { readTrustRecord, type TrustStore } from "@/node/services/hooks/trust/file";
export * from "@/node/services/hooks/settings/builtinInputs";
export * from "@/node/services/hooks/settings/definitions";
export { describeEnd } from "@/node/services/hooks/stop/endReason";
export { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
export type { TurnFinish } from "@/node/services/hooks/stop/endReason";
export * from "@/node/services/hooks/contract/types";
