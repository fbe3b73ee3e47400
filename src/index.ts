/**
 * The public API of the library mux-stop-hooks: Stop and SubagentStop hooks for coding agents. Functions of the engine
 * are wrapped in `onDemand`, so that an import does not load it. The other entries are `gauntlet.ts`, `session.ts`,
 * `opencode/plugin.ts` and `host/register.ts`.
 */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { onDemand } from "@/node/services/hooks/loadEngine";
import type { UserPaths } from "@/node/services/hooks/settings/cachedReads";
import type { TrustPolicy } from "@/node/services/hooks/trust/trustPolicy";

export { loadHookSettings, runStopHooks, StopHookController } from "@/wiring";
export const findUserRoot = onDemand((engine) => engine.findUserRoot);
export const findTrustStore = onDemand((engine) => engine.findTrustStore);
export const recordTrust = onDemand((engine) => engine.recordTrust);
export const revokeTrust = onDemand((engine) => engine.revokeTrust);

/** Returns the policy of the command `trust`: only definitions that the user has recorded run (H31). */
export function userTrust(runtime: HookRuntime, place?: Partial<UserPaths>): TrustPolicy {
  return {
    decide: onDemand((engine) => (request) => engine.userTrust(runtime, place).decide(request)),
  };
}

export type { Diagnostic, Severity } from "@/common/diagnostics";
export type { JsonObject } from "@/common/json";
export { err, ok, type Result } from "neverthrow";
export type { LocalRuntimeOptions } from "@/node/runtime/local/BaseLocalRuntime";
export { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
export { openSshRuntime } from "@/node/runtime/ssh/openSshRuntime";
export type { SshRuntime } from "@/node/runtime/ssh/openSshRuntime";
export type { SshOptions } from "@/node/runtime/ssh/sshCommand";
export { parseSshTarget, type SshTarget } from "@/node/runtime/ssh/sshTarget";
export type * from "@/node/runtime/HookRuntime";
export {
  BuiltinHooks,
  type BuiltinHook,
  type BuiltinHookContext,
  type DefaultHook,
  type InspectCheckout,
  type ReadableFiles,
  type Registration,
} from "@/node/services/hooks/contract/builtinRegistry";
export { hookTitle } from "@/node/services/hooks/contract/hookFacts";
export { modelFields, type ModelFacts } from "@/node/services/hooks/contract/makeInput";
export type { HookOutput } from "@/node/services/hooks/contract/inputOutputSchemas";
export * from "@/node/services/hooks/contract/types";
export type { Definitions, RecordedContent } from "@/node/services/hooks/settings/hookDefinitions";
export type { UserPaths } from "@/node/services/hooks/settings/cachedReads";
export type { LoadOptions } from "@/node/services/hooks/settingsLoader";
export { continuationMessage } from "@/node/services/hooks/stop/stopVerdict";
export type { FrozenTurn } from "@/node/services/hooks/stop/FrozenTurn";
export type { PersonFiles } from "@/node/services/hooks/stop/hookLog";
export type {
  FinishedTurn,
  StopHookControllerOptions,
} from "@/node/services/hooks/stop/stopHookController";
export type { StopVerdict, TurnEnd, TurnFinish } from "@/node/services/hooks/stop/stopVerdict";
export type { RunStopHooksOptions } from "@/node/services/hooks/stopHookExecutor";
export {
  continuationRow,
  continuationsInTurn,
  parseRows,
  type ContinuationRow,
} from "@/node/services/hooks/transcript/chatRows";
export type { TrustStore } from "@/node/services/hooks/trust/trustRecord";
export type {
  TrustDecision,
  TrustOption,
  TrustPolicy,
  TrustPurpose,
  TrustRequest,
} from "@/node/services/hooks/trust/trustPolicy";
