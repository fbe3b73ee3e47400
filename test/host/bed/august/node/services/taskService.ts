/** What a sub-agent says at the end of its turn is its report. */
import type { Config } from "@test/host/bed/common/node/config";
import type { AIService } from "@test/host/bed/common/node/services/aiService";
import { type Entry, type Report, Subagents } from "@test/host/bed/common/node/services/subagents";
import type { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import type { StreamEnd } from "@test/host/bed/common/node/types";

type Finalization = { finalized: true } | { finalized: false; reason: string; message?: string };

export class TaskService extends Subagents {
  constructor(config: Config, aiService: AIService, workspaces: WorkspaceService) {
    super(config, aiService, workspaces);
    aiService.on("stream-end", ({ workspaceId, parts }: StreamEnd) => {
      this.inTurn(workspaceId, async () => {
        const entry = this.entryOf(workspaceId);
        if (entry === undefined) return;
        const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
        const report = { reportMarkdown: texts.join("") };
        await this.finalizeAgentTaskReport(workspaceId, entry, report);
      });
    });
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
