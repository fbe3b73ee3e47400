/**
 * Exports the part of the engine that is loaded on demand, through `loadEngine.ts`: at the first turn of a controller,
 * or the first call of the API. `index.ts` exports the same functions to other folders, which load them at once.
 */
export { InputPreparer } from "@/node/services/hooks/execution/prepareStopInputs";
export { takeImportHint } from "@/node/services/hooks/settings/claudeHookHints";
export { recallLayers } from "@/node/services/hooks/settings/readLayers";
export { loadHooks, loadHookSettings, NO_SETTINGS } from "@/node/services/hooks/settingsLoader";
export { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
export { findUserRoot } from "@/node/services/hooks/settings/findFiles";
export { resultWithoutRuns } from "@/node/services/hooks/stop/aggregateRuns";
export { planHooks, hasNoEffect } from "@/node/services/hooks/stop/selectHooks";
export { runSessionStop, runStopHooks, subjectOf } from "@/node/services/hooks/stopHookExecutor";
export { recordTrust, revokeTrust } from "@/node/services/hooks/trust/trustDecisions";
export { findTrustStore, userTrust } from "@/node/services/hooks/trust/userTrust";
