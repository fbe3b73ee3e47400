/** The conversations of all workspaces. */
import { AgentSession } from "@test/host/bed/v0.28/node/services/agentSession";
import type { Config } from "@test/host/bed/common/node/config";
import { moveWorktree, removeWorktree } from "@test/host/bed/common/node/runtime/worktrees";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import { type Internal, type Result, type SendOptions, ok } from "@test/host/bed/common/node/types";

export class WorkspaceService {
  readonly #sessions = new Map<string, AgentSession>();

  constructor(
    private readonly config: Config,
    private readonly aiService: AIService
  ) {}

  session(workspaceId: string): AgentSession {
    const { config, aiService } = this;
    const known = this.#sessions.get(workspaceId);
    const session = known ?? new AgentSession({ workspaceId, config, aiService });
    this.#sessions.set(workspaceId, session);
    return session;
  }

  /** Sends a message, or queues it if the agent is busy. */
  async sendMessage(
    workspaceId: string,
    message: string,
    options: SendOptions,
    internal?: Internal
  ): Promise<Result> {
    const session = this.session(workspaceId);
    const isBusy = this.aiService.isStreaming(workspaceId) || isPreparing(session);
    if (!isBusy || options.editMessageId !== undefined) {
      return await session.sendMessage(message, options, internal);
    }
    session.queueMessage(message, options, internal);
    return ok();
  }

  rename(workspaceId: string, name: string): Result {
    const workspace = this.config.workspaces.get(workspaceId);
    if (workspace === undefined || this.aiService.isStreaming(workspaceId)) {
      return { success: false, error: "This workspace cannot be renamed now." };
    }
    moveWorktree(workspace, { ...workspace, name });
    this.config.setWorkspace(workspaceId, { ...workspace, name });
    return ok();
  }

  async remove(workspaceId: string): Promise<Result> {
    const workspace = this.config.workspaces.get(workspaceId);
    await this.aiService.stopStream(workspaceId);
    if (workspace !== undefined) removeWorktree(workspace);
    this.forget(workspaceId);
    return ok();
  }

  /** Disposes the session and removes the metadata of a workspace. */
  forget(workspaceId: string): void {
    this.#sessions.get(workspaceId)?.dispose();
    this.#sessions.delete(workspaceId);
    this.config.setWorkspace(workspaceId);
  }
}

/** Returns false for a session of Mux 0.14, which has no `isBusy`. */
function isPreparing(session: { isBusy?: () => boolean }): boolean {
  return session.isBusy?.() === true;
}
