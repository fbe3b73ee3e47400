/** Sub-agents and delegated workspaces whose report is the text at the end of their turn. */
import { type Config, newId } from "@test/host/bed/common/node/config";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import { type Entry, type Report, Subagents } from "@test/host/bed/common/node/services/subagents";
import type { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import type { Part, StreamEnd } from "@test/host/bed/common/node/types";

type Finalization = { finalized: true } | { finalized: false; reason: string; message?: string };

interface Handle {
  readonly workspaceId: string;
  readonly settle: (report: string) => void;
}

export class TaskService extends Subagents {
  readonly #handles = new Map<string, Handle>();

  constructor(config: Config, aiService: AIService, workspaces: WorkspaceService) {
    super(config, aiService, workspaces);
    aiService.on("stream-end", (end: StreamEnd) => {
      const { workspaceId, parts } = end;
      this.inTurn(workspaceId, async () => {
        this.#settle(end);
        const entry = this.entryOf(workspaceId);
        if (entry === undefined) return;
        const report = { reportMarkdown: textOf(parts) };
        await this.finalizeAgentTaskReport(workspaceId, entry, report);
      });
    });
  }

  protected override async delegate(ownerWorkspaceId: string, prompt: string): Promise<string> {
    const owner = await this.aiService.getWorkspaceMetadata(ownerWorkspaceId);
    if (!owner.success) throw new Error(owner.error);
    const { projectPath, runtimeConfig } = owner.data;
    const { id } = this.config.addWorkspace({ name: "delegated", projectPath, runtimeConfig });
    const taskHandleId = newId();
    const report = new Promise<string>((settle) => {
      this.#handles.set(taskHandleId, { workspaceId: id, settle });
    });
    await this.workspaceService.session(id).sendMessage(prompt, {
      model: "anthropic:claude-sonnet-4-5",
      agentId: "exec",
      muxMetadata: { type: "workspace-turn-task", taskHandleId, ownerWorkspaceId },
    });
    return await report;
  }

  /** Settles the tasks of a workspace. An end without metadata belongs to another turn, which replaced the task's. */
  #settle({ workspaceId, parts, metadata: { muxMetadata } }: StreamEnd): void {
    for (const [id, handle] of this.#handles) {
      const isOurs = muxMetadata?.taskHandleId === id;
      if (handle.workspaceId !== workspaceId || (muxMetadata !== undefined && !isOurs)) continue;
      this.#handles.delete(id);
      handle.settle(isOurs ? textOf(parts) : "Interrupted by another turn.");
    }
  }

  private async finalizeAgentTaskReport(
    childWorkspaceId: string,
    _childEntry: Entry,
    report: Report
  ): Promise<Finalization> {
    await Promise.resolve();
    this.deliver(childWorkspaceId, report);
    return { finalized: true };
  }
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
