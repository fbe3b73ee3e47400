/** mux-stop-hooks: Stop and SubagentStop hooks for coding agents. */
export { LocalRuntime } from "@/node/runtime/LocalRuntime";
export type {
  CapturedOutput,
  Command,
  ExecEnd,
  ExecRequest,
  ExecResult,
  FileFailure,
  Files,
  FileStat,
  Runtime,
} from "@/node/runtime/Runtime";
export * from "@/node/services/hooks/index";
export { AgentSession, type AgentSessionOptions } from "@/node/services/agentSession";
export type { AIService } from "@/node/services/session/aiService";
export { ScriptedAIService } from "@/node/services/session/scriptedAIService";
export { loadTurnScript } from "@/node/services/session/turnScriptFile";
export { projectTools } from "@/node/services/tools/projectTools";
