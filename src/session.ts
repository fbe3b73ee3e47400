/**
 * The public API `mux-stop-hooks/session`: the embedded session (`AgentSession`), a conversation whose turns end only
 * when its hooks allow it. Also exports its tools, a scripted agent in place of a model, and the types of its events.
 */
export { AgentSession, type AgentSessionOptions } from "@/node/services/agentSession";
export * from "@/node/services/session/aiServiceTypes";
export * from "@/node/services/session/chatEvents";
export type { BackgroundTask } from "@/node/services/session/toolHost";
export type { HistoryFailure } from "@/node/services/session/chatHistory";
export type {
  ChatMessage,
  MessageMetadata,
  MessagePart,
  MuxMetadata,
  TextPart,
  ToolPart,
  TurnOptions,
} from "@/common/chatMessage";
export { ScriptedAIService } from "@/node/services/session/scriptedAIService";
export {
  loadTurnScript,
  type ScriptedEdit,
  type ScriptedStep,
  type ScriptedTask,
  type ScriptedTurn,
  type TurnScript,
} from "@/node/services/session/scriptedTurns";
export type { SendMessageError, SendMessageOptions } from "@/node/services/session/messageQueue";
export type {
  CreateTools,
  Subagent,
  SubagentIdentity,
  SubagentRequest,
  ToolHost,
} from "@/node/services/session/toolHost";
export type { TurnOutcome } from "@/node/services/session/streamAnswer";
export { projectTools } from "@/node/services/tools/sessionTools";
