/** Sub-agents that report with a tool. The report is taken during the stream, and once more at its end. */
import type { Config } from "@test/host/bed/common/node/config";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import { HistoryService } from "@test/host/bed/common/node/services/historyService";
import { type Entry, type Report, Subagents } from "@test/host/bed/common/node/services/subagents";
import type { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import type { Part, StreamEnd } from "@test/host/bed/common/node/types";

interface ToolEnd {
  workspaceId: string;
  toolName: string;
  args: Record<string, unknown>;
}

export class TaskService extends Subagents {
  constructor(config: Config, aiService: AIService, workspaces: WorkspaceService) {
    super(config, aiService, workspaces);
    aiService.tools.set("agent_report", () => Promise.resolve({ success: true }));
    aiService.on("tool-call-end", ({ workspaceId, toolName, args }: ToolEnd) => {
      if (toolName !== "agent_report") return;
      this.#reported(workspaceId, reportOf(args), { stopStream: true });
    });
    aiService.on("stream-end", ({ workspaceId, parts }: StreamEnd) => {
      this.#reported(workspaceId, parts.map(reportOfPart).find(Boolean));
    });
  }

  #reported(id: string, report: Report | undefined, options?: { stopStream: boolean }): void {
    this.inTurn(id, async () => {
      const entry = this.entryOf(id);
      if (entry === undefined) return;
      if (report === undefined) await this.fallbackReportMissingAgentReport(entry);
      else await this.finalizeAgentTaskReport(id, entry, report, options);
    });
  }

  private async fallbackReportMissingAgentReport({ workspace }: Entry): Promise<void> {
    const words = (await this.readLatestAssistantText(workspace.id)) ?? "nothing";
    this.deliver(workspace.id, {
      reportMarkdown: `The sub-agent did not report. It said: ${words}`,
    });
  }

  private async readLatestAssistantText(workspaceId: string): Promise<string | null> {
    const rows = await new HistoryService(this.config.getSessionDir(workspaceId)).rows();
    const last = rows.findLast(({ role }) => role === "assistant");
    const texts = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    return texts?.join("") ?? null;
  }

  private async finalizeAgentTaskReport(
    childWorkspaceId: string,
    childEntry: Entry,
    report: Report,
    options: { stopStream?: boolean } = {}
  ): Promise<void> {
    if (options.stopStream === true) await this.aiService.stopStream(childWorkspaceId);
    this.deliver(childEntry.workspace.id, report);
  }
}

function reportOf({ reportMarkdown }: Record<string, unknown>): Report {
  return { reportMarkdown: String(reportMarkdown) };
}

function reportOfPart(part: Part): Report | undefined {
  const isReport = part.type === "dynamic-tool" && part.toolName === "agent_report";
  return isReport ? reportOf(part.input) : undefined;
}
