import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { FrozenTurn, StopHookControllerOptions } from "@/node/services/hooks/index";
import type { AIService } from "@/node/services/session/aiService";
import type { TurnOptions } from "@/node/services/session/chatMessage";
import type { CreateTools } from "@/node/services/session/tool";

export interface AgentSessionOptions {
  readonly workspaceId: string;
  /** The workspace's checkout, absolute. */
  readonly projectDir: string;
  /** Absolute, on this machine. Contains `chat.jsonl`, the hooks' records, and the sub-agents' sessions. */
  readonly sessionDir: string;
  readonly runtime: HookRuntime;
  readonly aiService: AIService;
  readonly createTools: CreateTools;
  readonly hooks?: Pick<StopHookControllerOptions, "builtins" | "load" | "person">;
  /** The defaults for messages without options. */
  readonly defaults: TurnOptions & { readonly model: string };
  /** The identity, if the session is a sub-agent's. */
  readonly subagent?: SubagentIdentity;
  /** An agent of the host itself, such as one that names chats: it has no hooks (H28). */
  readonly internalAgent?: boolean;
}

export interface SubagentIdentity {
  readonly agentType: string;
  readonly parentSessionId: string;
  /** The parent's `chat.jsonl`, absolute. */
  readonly parentTranscriptPath: string;
  /** The plan of the user's turn in which it was started, which it keeps (H7). */
  readonly turn?: FrozenTurn;
}
