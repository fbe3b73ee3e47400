/** The members of the host's tasks that we use. Each sub-agent is a task with a workspace of its own. */
import type { HostInternal, HostResult, HostSendOptions } from "@/host/muxTypes";

export interface HostTaskService {
  /** The service that sends the host's own reminders. It queues a message if the sub-agent is busy. */
  readonly workspaceService?: {
    sendMessage(
      workspaceId: string,
      message: string,
      options: HostSendOptions,
      internal: HostInternal
    ): Promise<HostResult<unknown>>;
  };
  getAgentTaskStatus?(childId: string): unknown;
  /** Sends the report to the parent and ends the task. */
  finalizeAgentTaskReport(
    childId: string,
    entry: HostTaskEntry | null | undefined,
    report: HostTaskReport,
    options?: { stopStream?: boolean }
  ): Promise<unknown>;
  /** Reports the last text of a sub-agent that sent no report. Exists up to the hosts of early 2026. */
  fallbackReportMissingAgentReport?(entry: HostTaskEntry): Promise<unknown>;
  readLatestAssistantText?(childId: string): Promise<string | null>;
  /** Exists from the summer of 2026 on. */
  sendMessageToDescendantAgentTask?(
    ancestorId: string,
    childId: string,
    ...message: unknown[]
  ): Promise<HostResult<unknown>>;
}

/** A task in the host's configuration. */
export interface HostTaskEntry {
  readonly workspace: {
    readonly id?: string;
    readonly taskStatus?: string;
    readonly agentType?: string;
    readonly agentId?: string;
  };
}

/** A finished report, as it is passed to hooks. */
export interface Report {
  readonly childId: string;
  readonly text: string;
  /** Whether the agent's message is still being written: the report is from a tool call that has just ended. */
  readonly isEarly: boolean;
  readonly agentType?: string;
}

export interface HostTaskReport {
  readonly reportMarkdown: string;
  /** Set if the report is a plan, which has its own approval process. */
  readonly planFilePath?: string;
}
