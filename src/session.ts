/** mux-stop-hooks/session: the embedded session, a conversation whose turns end when the hooks agree. */
export { AgentSession, type AgentSessionOptions } from "@/node/services/agentSession";
export type * from "@/node/services/session/aiService";
export type { BackgroundTask } from "@/node/services/session/backgroundTasks";
export * from "@/node/services/session/chatEvents";
export type { HistoryFailure } from "@/node/services/session/chatHistory";
export type {
  ChatMessage,
  MessageMetadata,
  MessagePart,
  MuxMetadata,
  TextPart,
  ToolPart,
} from "@/node/services/session/chatMessage";
export { ScriptedAIService } from "@/node/services/session/script/scriptedAIService";
export type {
  ScriptedEdit,
  ScriptedStep,
  ScriptedTask,
  ScriptedTurn,
  TurnScript,
} from "@/node/services/session/script/turnScript";
export { loadTurnScript } from "@/node/services/session/script/turnScriptFile";
export type { TurnOptions } from "@/node/services/session/chatMessage";
export type { SendMessageError, SendMessageOptions } from "@/node/services/session/sendOptions";
export type { SubagentIdentity } from "@/node/services/session/sessionOptions";
export type * from "@/node/services/session/streamEvents";
export type {
  CreateTools,
  Subagent,
  SubagentRequest,
  ToolHost,
} from "@/node/services/session/tool";
export type { TurnOutcome } from "@/node/services/session/turnEnd";
export { projectTools } from "@/node/services/tools/projectTools";
