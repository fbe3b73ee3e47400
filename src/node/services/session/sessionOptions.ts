import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { FrozenTurn, StopHookControllerOptions } from "@/node/services/hooks/index";
import type { AIService } from "@/node/services/session/aiService";
import type { TurnOptions } from "@/node/services/session/sendOptions";
import type { CreateTools } from "@/node/services/session/tool";

export interface AgentSessionOptions {
  readonly workspaceId: string;
  /** Absolute: the workspace's checkout. */
  readonly projectDir: string;
  /** Absolute, on this machine: holds `chat.jsonl`, the hooks' records, and the sub-agents' sessions. */
  readonly sessionDir: string;
  readonly runtime: HookRuntime;
  readonly aiService: AIService;
  readonly createTools: CreateTools;
  readonly hooks?: Pick<StopHookControllerOptions, "builtins" | "load">;
  /** What a message has that does not say otherwise. */
  readonly defaults: TurnOptions & { readonly model: string };
  /** Whose sub-agent this is. */
  readonly subagent?: SubagentIdentity;
  /** An agent of the host's own, such as one that names chats: it has no hooks (H28). */
  readonly internalAgent?: boolean;
}

export interface SubagentIdentity {
  readonly agentType: string;
  readonly parentSessionId: string;
  /** `chat.jsonl` of the parent, absolute. */
  readonly parentTranscriptPath: string;
  /** The plan of the user's turn in which it was started, which it keeps (H7). */
  readonly turn?: FrozenTurn;
}
