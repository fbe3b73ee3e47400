/**
 * Patches Mux's `TaskService` and `AIService` so that the reports and the interrupts of sub-agents, and the messages of
 * their parents, go to the `ReportInterceptor`. It decides when a report is delivered; a report that is a plan is not
 * held.
 */
import { finalText } from "@/common/chatMessage";
import { type Delegation, delegationOf } from "@/host/stop/userTurns";
import type { ReportInterceptor, HeldReport } from "@/host/subagent/ReportInterceptor";
import type { HostAIService, HostTaskEntry, HostTaskService } from "@/host/muxTypes";
import { wrapMethod } from "@/host/loading/muxMembers";

/** Patches the methods that deliver reports, and the one by which a parent sends messages. */
export function attachSubagents(
  { prototype }: { prototype: HostTaskService },
  gate: ReportInterceptor
): void {
  const all = prototype as Required<HostTaskService>;
  /**
   * Sub-agents whose fallback report is being delivered. In some hosts this calls the method that delivers any other
   * report, which must not hold it again.
   */
  const letThrough = new Set<string>();
  wrapMethod(all, "finalizeAgentTaskReport", (tasks, finalize, ...args) => {
    const [childId, entry, report, options] = args;
    const deliver = (): Promise<unknown> => finalize(...args);
    const isExempt = letThrough.has(childId) || report.planFilePath !== undefined;
    const isInterrupted = entry?.workspace.taskStatus === "interrupted";
    if (isExempt || isInterrupted || !gate.mayHold(childId)) return deliver();
    const isEarly = options?.stopStream === true;
    return gate.hold(heldReport(tasks, childId, entry, report.reportMarkdown, isEarly), deliver);
  });
  if (prototype.fallbackReportMissingAgentReport !== undefined) {
    wrapMethod(all, "fallbackReportMissingAgentReport", (tasks, fallBack, entry) => {
      const { id } = entry.workspace;
      if (id === undefined || !gate.mayHold(id)) return fallBack(entry);
      const deliver = async (): Promise<unknown> => {
        letThrough.add(id);
        try {
          return await fallBack(entry);
        } finally {
          letThrough.delete(id);
        }
      };
      const host: HostTaskService = tasks;
      const lastText = host.readLatestAssistantText?.(id) ?? Promise.resolve("");
      return lastText.then(
        (text) => gate.hold(heldReport(tasks, id, entry, text ?? "", false), deliver),
        deliver
      );
    });
  }
  if (prototype.finalizeWorkspaceTurnFromStreamEnd !== undefined) {
    wrapMethod(all, "finalizeWorkspaceTurnFromStreamEnd", (tasks, settle, end) => {
      const { workspaceId: id, parts = [], metadata } = end;
      const delegation = delegationOf(metadata?.muxMetadata);
      const isFinished = (metadata?.finishReason ?? "stop") === "stop";
      if (delegation === undefined || !isFinished || !gate.mayHold(id)) return settle(end);
      const report = heldReport(tasks, id, undefined, finalText(parts), false, delegation);
      return gate.hold(report, () => settle(end));
    });
  }
  if (prototype.sendMessageToDescendantAgentTask === undefined) return;
  wrapMethod(all, "sendMessageToDescendantAgentTask", async (_, send, ...args) => {
    const sent = await send(...args);
    if (sent.success) gate.parentSentMessage(args[1]);
    return sent;
  });
}

/** Patches the method that stops a stream. */
export function attachInterrupts(
  { prototype }: { prototype: HostAIService },
  gate: ReportInterceptor
): void {
  wrapMethod(prototype, "stopStream", (_, stopStream, ...args) => {
    const [workspaceId, options] = args;
    if (options?.soft !== true) gate.interrupt(workspaceId, options?.abortReason === "system");
    return stopStream(...args);
  });
}

function heldReport(
  tasks: HostTaskService,
  childId: string,
  entry: HostTaskEntry | null | undefined,
  text: string,
  isEarly: boolean,
  delegation?: Delegation
): HeldReport {
  const { agentType, agentId } = entry?.workspace ?? {};
  return {
    childId,
    text,
    isEarly,
    agentType: agentType ?? agentId,
    isDelegated: delegation !== undefined,
    // A sub-agent that works again keeps the status of its first report.
    isInterrupted: () =>
      delegation === undefined && tasks.getAgentTaskStatus?.(childId) === "interrupted",
    continueWith: async (message, options) => {
      if (tasks.workspaceService === undefined)
        throw new Error("this version of Mux cannot send messages to sub-agents");
      // The mark is for the count after a restart (H27). The message is not shown as typed by a user.
      const sent = await tasks.workspaceService.sendMessage(
        childId,
        message,
        { ...options, muxMetadata: { ...delegation, stopHookActive: true } },
        { synthetic: true, agentInitiated: true }
      );
      if (!sent.success)
        throw new Error(`Mux rejected the message to the sub-agent: ${JSON.stringify(sent.error)}`);
    },
  };
}
