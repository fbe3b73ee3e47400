/** Puts the gate for reports into the host's tasks. */
import type { SubagentGate, Report } from "@/host/SubagentGate";
import type { HostTaskEntry, HostTaskService } from "@/host/taskTypes";
import { wrapMethod } from "@/host/wrapMethod";

export function attachSubagents(
  { prototype }: { prototype: HostTaskService },
  gate: SubagentGate
): void {
  wrapMethod(prototype, "finalizeAgentTaskReport", (finalize) => {
    return function (this: HostTaskService, ...args) {
      const [childId, entry, { reportMarkdown, planFilePath }, options] = args;
      const deliver = (): Promise<unknown> => finalize.apply(this, args);
      const isExempt = planFilePath !== undefined || hasEnded(entry);
      if (isExempt || !gate.mayHold(childId)) return deliver();
      const isEarly = options?.stopStream === true;
      return gate.hold(reportOf(this, childId, entry, reportMarkdown, isEarly), deliver);
    };
  });
  if (prototype.fallbackReportMissingAgentReport !== undefined) attachFallback(prototype, gate);
  if (prototype.sendMessageToDescendantAgentTask === undefined) return;
  wrapMethod(prototype, "sendMessageToDescendantAgentTask", (send) => {
    return async function (this: HostTaskService, ...args) {
      const sent = await send!.apply(this, args);
      if (sent.success) gate.parentSpoke(args[1]);
      return sent;
    };
  });
}
