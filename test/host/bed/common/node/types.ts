export interface TextPart {
  type: "text";
  text: string;
  timestamp: number;
}

export interface ToolPart {
  type: "dynamic-tool";
  toolCallId: string;
  toolName: string;
  input: Record<string, unknown>;
  state: "input-available" | "output-available";
  output?: unknown;
}

export type Part = TextPart | ToolPart;

/** A line of `chat.jsonl`. */
export interface Row {
  id: string;
  role: "user" | "assistant";
  parts: Part[];
  metadata: { historySequence: number; synthetic?: boolean; muxMetadata?: MuxMetadata };
}

/** The message that follows a compaction. */
export interface FollowUp {
  text: string;
  model: string;
  agentId?: string;
  muxMetadata?: MuxMetadata;
}

export interface MuxMetadata {
  type?: string;
  parsed?: { followUpContent?: FollowUp; continueMessage?: FollowUp };
  stopHookActive?: boolean;
  /** The workspace and the task of the agent that requested this turn. */
  ownerWorkspaceId?: string;
  taskHandleId?: string;
}

export interface SendOptions {
  model: string;
  agentId?: string;
  thinkingLevel?: string;
  editMessageId?: string;
  /** The ID of an editor's prompt, which is on all events of the answering stream. */
  acpPromptId?: string;
  muxMetadata?: MuxMetadata;
}

/** Options for messages that the host sends by itself. */
export interface Internal {
  synthetic?: boolean;
  agentInitiated?: boolean;
}

export interface Metadata {
  id: string;
  name: string;
  projectPath: string;
  runtimeConfig: { type: string; srcBaseDir?: string; host?: string };
  parentWorkspaceId?: string;
  agentType?: string;
  agentId?: string;
}

export type Result<T = undefined> = { success: true; data: T } | { success: false; error: string };

export function ok(): Result {
  return { success: true, data: undefined };
}

export interface ChatEvent {
  type: string;
  workspaceId?: string;
  messageId?: string;
  acpPromptId?: string;
  delta?: string;
  toolName?: string;
  replay?: boolean;
  error?: string;
  /** The number of tokens that the model has read. */
  tokens?: number;
}

export interface StreamEnd {
  workspaceId: string;
  messageId: string;
  acpPromptId?: string;
  parts: Part[];
  metadata: { model: string; finishReason?: string; muxMetadata?: MuxMetadata };
}
