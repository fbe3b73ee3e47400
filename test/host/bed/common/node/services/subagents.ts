/** Starts sub-agents and waits for their reports: the parts that both versions of the host share. */
import type { Config } from "@test/host/bed/common/node/config";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import type { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import type { Metadata } from "@test/host/bed/common/node/types";

export interface Report {
  reportMarkdown: string;
  title?: string;
}

export interface Entry {
  projectPath: string;
  workspace: Metadata & { taskStatus: string };
}

export class Subagents {
  readonly #reports = new Map<
    string,
    { report: Promise<Report>; deliver: (report: Report) => void }
  >();
  readonly #locks = new Map<string, Promise<void>>();

  constructor(
    protected readonly config: Config,
    protected readonly aiService: AIService,
    protected readonly workspaceService: WorkspaceService
  ) {
    aiService.tools.set("task", async ({ kind, agentId, prompt }, parentId) => {
      if (kind === "workspace") return await this.delegate(parentId, String(prompt));
      const taskId = await this.create(parentId, String(agentId), String(prompt));
      return await this.waitForAgentReport(taskId);
    });
  }

  async create(parentWorkspaceId: string, agentId: string, prompt: string): Promise<string> {
    const parent = await this.aiService.getWorkspaceMetadata(parentWorkspaceId);
    if (!parent.success) throw new Error(parent.error);
    const { projectPath } = parent.data;
    const { id } = this.config.addWorkspace({
      name: `agent_${agentId}`,
      projectPath,
      parentWorkspaceId,
      agentType: agentId,
      agentId,
    });
    let deliver: (report: Report) => void = () => undefined;
    const report = new Promise<Report>((resolve) => (deliver = resolve));
    this.#reports.set(id, { report, deliver });
    const options = { model: "anthropic:claude-sonnet-4-5", agentId };
    await this.workspaceService.session(id).sendMessage(prompt, options);
    return id;
  }

  /** Delegates a prompt to a new workspace, if the host supports that. @returns its report */
  protected delegate(ownerWorkspaceId: string, prompt: string): Promise<string> {
    return Promise.reject(new Error(`${ownerWorkspaceId} cannot delegate: ${prompt}`));
  }

  /** Returns the first report that is delivered, to any number of callers. */
  async waitForAgentReport(taskId: string): Promise<Report | undefined> {
    return await this.#reports.get(taskId)?.report;
  }

  getAgentTaskStatus(workspaceId: string): string | undefined {
    return this.entryOf(workspaceId)?.workspace.taskStatus;
  }

  /** Returns the entry of a sub-agent, or undefined if the workspace is not a sub-agent or has reported. */
  protected entryOf(workspaceId: string): Entry | undefined {
    const metadata = this.config.workspaces.get(workspaceId);
    if (metadata?.parentWorkspaceId === undefined) return undefined;
    const workspace = { ...metadata, taskStatus: "running" };
    return { projectPath: metadata.projectPath, workspace };
  }

  protected deliver(workspaceId: string, report: Report): void {
    this.workspaceService.forget(workspaceId);
    this.#reports.get(workspaceId)?.deliver(report);
  }

  /** Handles the events of one sub-agent one after the other. */
  protected inTurn(workspaceId: string, handle: () => Promise<void>): void {
    const before = this.#locks.get(workspaceId) ?? Promise.resolve();
    this.#locks.set(workspaceId, before.then(handle));
  }
}
