/** What of the host's tasks is touched: each sub-agent is one, and lives in a workspace of its own. */
import type { HostInternal, HostResult, HostSendOptions } from "@/host/muxTypes";

export interface HostTaskService {
  /** The door that the host's own reminders go through: it queues where the sub-agent is busy. */
  readonly workspaceService?: {
    sendMessage(
      workspaceId: string,
      message: string,
      options: HostSendOptions,
      internal: HostInternal
    ): Promise<HostResult<unknown>>;
  };
  getAgentTaskStatus?(childId: string): unknown;
  /** Gives the parent the report, and ends the task. */
  finalizeAgentTaskReport(
    childId: string,
    entry: HostTaskEntry | null | undefined,
    report: HostTaskReport,
    options?: { stopStream?: boolean }
  ): Promise<unknown>;
  /** Up to the hosts of early 2026: the last words of a sub-agent that reports nothing, as its report. */
  fallbackReportMissingAgentReport?(entry: HostTaskEntry): Promise<unknown>;
  readLatestAssistantText?(childId: string): Promise<string | null>;
  /** From the summer of 2026 on. */
  sendMessageToDescendantAgentTask?(
    ancestorId: string,
    childId: string,
    ...message: unknown[]
  ): Promise<HostResult<unknown>>;
}

/** A task as it stands in the host's configuration. */
export interface HostTaskEntry {
  readonly workspace: {
    readonly id?: string;
    readonly taskStatus?: string;
    readonly agentType?: string;
    readonly agentId?: string;
  };
}

/** A report that is ready, as hooks are told of it. */
export interface Report {
  readonly childId: string;
  readonly text: string;
  /** Taken from a call that has just ended, in a message that is still being written. */
  readonly isEarly: boolean;
  readonly agentType?: string;
}

export interface HostTaskReport {
  readonly reportMarkdown: string;
  /** The report is a plan, whose approval has a way of its own. */
  readonly planFilePath?: string;
}
