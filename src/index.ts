/** mux-stop-hooks: Stop and SubagentStop hooks for coding agents. */
export { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
export type {
  CapturedOutput,
  Command,
  ExecEnd,
  ExecRequest,
  ExecResult,
  FileFailure,
  Files,
  FileStat,
  HookRuntime,
  LocalHookRuntime,
  RemoteHookRuntime,
} from "@/node/runtime/HookRuntime";
export { openSshRuntime, type SshOptions } from "@/node/runtime/ssh/openSshRuntime";
export type { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
export { parseSshTarget, type SshTarget } from "@/node/runtime/ssh/sshTarget";
export { executeRun } from "@/node/services/gauntlet/run/executeRun";
export type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
export type { RunEvent } from "@/node/services/gauntlet/domain/events";
export type { GateResult } from "@/node/services/gauntlet/domain/gate";
export type { RunResult } from "@/node/services/gauntlet/domain/runResult";
export {
  isBlockingStatus,
  isSuccessStatus,
  type GauntletStatus,
} from "@/node/services/gauntlet/domain/status";
export * from "@/node/services/hooks/index";
export { AgentSession, type AgentSessionOptions } from "@/node/services/agentSession";
export type { AIService } from "@/node/services/session/aiService";
export { ScriptedAIService } from "@/node/services/session/script/scriptedAIService";
export { loadTurnScript } from "@/node/services/session/script/turnScriptFile";
export {
  createBuiltins,
  loadHookSettings,
  runStopHooks,
  StopHookController,
  type UserPlace,
} from "@/wiring";
export { projectTools } from "@/node/services/tools/projectTools";
