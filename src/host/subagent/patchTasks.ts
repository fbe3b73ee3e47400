/** Patches the host's classes so that they call the interceptor of reports. */
import type { ReportInterceptor, HeldReport } from "@/host/subagent/ReportInterceptor";
import type { HostAIService, HostTaskEntry, HostTaskService } from "@/host/muxTypes";
import { wrapMethod } from "@/host/loading/capabilities";

type Tasks = Required<HostTaskService>;

export function attachSubagents(
  { prototype }: { prototype: HostTaskService },
  gate: ReportInterceptor
): void {
  const all = prototype as Tasks;
  /**
   * Sub-agents whose fallback report is being delivered. In some hosts this calls the method that delivers any other
   * report, which must not hold it again.
   */
  const letThrough = new Set<string>();
  attachReports(all, gate, letThrough);
  if (prototype.fallbackReportMissingAgentReport !== undefined) {
    attachLastWords(all, gate, letThrough);
  }
  if (prototype.sendMessageToDescendantAgentTask !== undefined) attachMessages(all, gate);
}

export function attachInterrupts(
  { prototype }: { prototype: HostAIService },
  gate: ReportInterceptor
): void {
  wrapMethod(prototype, "stopStream", (stopStream) => {
    return function (this: HostAIService, workspaceId, ...options) {
      // A soft stop lets the agent finish its step before the host sends another message.
      const [given] = options as [{ soft?: unknown } | undefined];
      if (given?.soft !== true) gate.interrupt(workspaceId);
      return stopStream.call(this, workspaceId, ...options);
    };
  });
}

function attachReports(prototype: Tasks, gate: ReportInterceptor, letThrough: Set<string>): void {
  wrapMethod(prototype, "finalizeAgentTaskReport", (finalize) => {
    return function (this: HostTaskService, ...args) {
      const [childId, entry, report, options] = args;
      const deliver = (): Promise<unknown> => finalize.apply(this, args);
      const isExempt = letThrough.has(childId) || report.planFilePath !== undefined;
      if (isExempt || isInterrupted(entry) || !gate.mayHold(childId)) return deliver();
      const isEarly = options?.stopStream === true;
      return gate.hold(describe(this, childId, entry, report.reportMarkdown, isEarly), deliver);
    };
  });
}

function attachLastWords(prototype: Tasks, gate: ReportInterceptor, letThrough: Set<string>): void {
  wrapMethod(prototype, "fallbackReportMissingAgentReport", (fallBack) => {
    return function (this: HostTaskService, entry) {
      const { id } = entry.workspace;
      if (id === undefined || !gate.mayHold(id)) return fallBack.call(this, entry);
      const deliver = async (): Promise<unknown> => {
        letThrough.add(id);
        try {
          return await fallBack.call(this, entry);
        } finally {
          letThrough.delete(id);
        }
      };
      const words = this.readLatestAssistantText?.(id) ?? Promise.resolve("");
      return words.then(
        (text) => gate.hold(describe(this, id, entry, text ?? "", false), deliver),
        deliver
      );
    };
  });
}

function attachMessages(prototype: Tasks, gate: ReportInterceptor): void {
  wrapMethod(prototype, "sendMessageToDescendantAgentTask", (send) => {
    return async function (this: HostTaskService, ...args) {
      const sent = await send.apply(this, args);
      if (sent.success) gate.parentSentMessage(args[1]);
      return sent;
    };
  });
}

function describe(
  tasks: HostTaskService,
  childId: string,
  entry: HostTaskEntry | null | undefined,
  text: string,
  isEarly: boolean
): HeldReport {
  const { agentType, agentId } = entry?.workspace ?? {};
  const type = agentType ?? agentId;
  return {
    childId,
    text,
    isEarly,
    agentType: type,
    isInterrupted: () => tasks.getAgentTaskStatus?.(childId) === "interrupted",
    continueWith: async (message, options) => {
      if (tasks.workspaceService === undefined)
        throw new Error("this version of Mux cannot send messages to sub-agents");
      // The mark is for the count after a restart (H27). The message is not shown as typed by a user.
      const sent = await tasks.workspaceService.sendMessage(
        childId,
        message,
        { ...options, muxMetadata: { stopHookActive: true } },
        { synthetic: true, agentInitiated: true }
      );
      if (!sent.success)
        throw new Error(`Mux rejected the message to the sub-agent: ${JSON.stringify(sent.error)}`);
    },
  };
}

function isInterrupted(entry: HostTaskEntry | null | undefined): boolean {
  return entry?.workspace.taskStatus === "interrupted";
}
