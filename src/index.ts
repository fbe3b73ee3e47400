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
export { AgentSession } from "@/node/services/agentSession";
