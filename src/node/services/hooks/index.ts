/**
 * The interface of the hook engine inside this program; importing it loads the whole engine. Code that must start fast,
 * such as `cli/gauntlet/trust/`, imports single files instead. The public API of the package is `src/index.ts`.
 */
export { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
export * from "@/node/services/hooks/contract/hookFacts";
export { modelFields } from "@/node/services/hooks/contract/makeInput";
export * from "@/node/services/hooks/contract/types";
export { restrictClaude } from "@/node/services/hooks/settings/claude/filterSettings";
export { findClaude } from "@/node/services/hooks/settings/claude/readClaudeFiles";
export * from "@/node/services/hooks/settings/hookDefinitions";
export * from "@/node/services/hooks/settings/editHooks";
export { describeImportHint, scriptsOf } from "@/node/services/hooks/settings/claudeHookHints";
export type { SettingsSource } from "@/node/services/hooks/settings/readHookFiles";
export * from "@/node/services/hooks/settings/parseSettings";
export { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
export * from "@/node/services/hooks/settings/findFiles";
export * from "@/node/services/hooks/settingsLoader";
export { invokedPrograms, runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";
export * from "@/node/services/hooks/stop/stopVerdict";
export { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
export * from "@/node/services/hooks/stop/hookLog";
export { planHooks, type HookPlan } from "@/node/services/hooks/stop/selectHooks";
export * from "@/node/services/hooks/stop/stopHookController";
export { runStopHooks } from "@/node/services/hooks/stopHookExecutor";
export * from "@/node/services/hooks/transcript/chatRows";
export {
  readTrustRecord,
  withFileLock,
  type TrustStore,
} from "@/node/services/hooks/trust/trustRecord";
export * from "@/node/services/hooks/trust/trustDecisions";
export * from "@/node/services/hooks/trust/trustPolicy";
export * from "@/node/services/hooks/trust/userTrust";
