/**
 * The tool `task` of an embedded session, which runs a sub-agent, in the background on request, and returns its last
 * report to the parent after its SubagentStop hooks allow the stop (H28a). Also runs these hooks, and has the tool
 * `agent_report`, with which a sub-agent submits a report.
 */
import * as z from "zod/mini";
import { firstLine } from "@/common/safeText";
import type { StopHookController, StopVerdict } from "@/node/services/hooks/index";
import type { Tool, ToolContext } from "@/node/services/session/aiServiceTypes";
import { REPORT_TOOL, reportOf, type MessagePart } from "@/common/chatMessage";
import * as tools from "@/node/services/session/toolHost";
import type { TurnOutcome } from "@/node/services/session/streamAnswer";

const taskSchema = z.object({
  subagent_type: z.string().check(z.minLength(1)),
  prompt: z.string().check(z.minLength(1)),
  run_in_background: z.optional(z.boolean()),
});

export type TaskArgs = z.infer<typeof taskSchema>;

export interface TaskReport {
  readonly status: "completed";
  readonly taskId: string;
  readonly agentType: string;
  readonly reportMarkdown: string;
}

export interface TaskStarted {
  readonly status: "running";
  readonly taskId: string;
}

export type TaskResult = TaskReport | TaskStarted | tools.ToolFailure;

/** Submits a report that a sub-agent writes itself; the session reads it from the message (H28a). */
export const reportTool: Tool = tools.defineTool(
  REPORT_TOOL,
  z.object({ reportMarkdown: z.string() }),
  () => Promise.resolve({ success: true })
);

/** Creates the tool that runs a sub-agent as a session of its own, in the background on request. */
export function taskTool(host: tools.ToolHost): Tool {
  return tools.defineTool("task", taskSchema, (args, context) => runTask(host, args, context));
}

/** Resolves with the report when the sub-agent's hooks allow the stop, or at once if it runs in the background. */
export async function runTask(
  host: tools.ToolHost,
  args: TaskArgs,
  { abortSignal, subagentService }: Pick<ToolContext, "abortSignal" | "subagentService">
): Promise<TaskResult> {
  const opened = await host.openSubagent({
    agentType: args.subagent_type,
    aiService: subagentService,
  });
  if (opened.isErr())
    return tools.toolFailure(`the sub-agent could not be started: ${opened.error}`);
  const child = opened.value;
  // An interrupt while the session was opened would not reach a task in the background.
  const isForeground = args.run_in_background !== true || abortSignal.aborted;
  if (isForeground) return await finish(child, args, abortSignal);

  const task = {
    id: child.taskId,
    type: "subagent" as const,
    description: firstLine(args.prompt),
    agent_type: args.subagent_type,
  };
  host.runInBackground(task, async (signal) => {
    const result = await finish(child, args, signal);
    return "reportMarkdown" in result ? result.reportMarkdown : result.error;
  });
  return { status: "running", taskId: child.taskId };
}

/** Runs the sub-agent to its end. If it is interrupted with its parent, it has no report. */
async function finish(
  child: tools.Subagent,
  { prompt, subagent_type: agentType }: TaskArgs,
  signal: AbortSignal
): Promise<TaskReport | tools.ToolFailure> {
  const interrupt = (): void => {
    void child.interruptStream();
  };
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    const accepted = signal.aborted ? undefined : await child.sendMessage(prompt);
    if (accepted?.isErr() === true) return tools.toolFailure(accepted.error.message);
    const outcome = await child.idle();
    if (outcome?.finish !== "stop") return tools.toolFailure(whyNoReport(outcome));
    return { status: "completed", taskId: child.taskId, agentType, reportMarkdown: outcome.report };
  } finally {
    signal.removeEventListener("abort", interrupt);
    await child.dispose();
  }
}

/** Runs the SubagentStop hooks of a sub-agent whose stream has ended, before its parent gets the report (H28a). */
export async function runSubagentStopHooks(
  controller: StopHookController,
  ended: Parameters<StopHookController["turnEnded"]>[0],
  { agentType, parentSessionId, parentTranscriptPath }: tools.SubagentIdentity,
  parts: readonly MessagePart[]
): Promise<StopVerdict> {
  const { input } = ended;
  return await controller.turnEnded({
    ...ended,
    input: {
      ...input,
      last_assistant_message: reportOf(parts),
      agent_id: input.session_id,
      agent_type: agentType,
      agent_transcript_path: input.transcript_path,
      parent_session_id: parentSessionId,
      parent_transcript_path: parentTranscriptPath,
    },
  });
}

const WHY_NO_REPORT: Partial<Record<TurnOutcome["finish"], string>> = {
  length: "the sub-agent was cut off at the model's length limit",
  refusal: "the model of the sub-agent refused the request",
  question: "the sub-agent ended with a question to the user, which sub-agents cannot ask",
  toolCalls: "the sub-agent stopped before a tool call had ended",
};

function whyNoReport(outcome?: Partial<TurnOutcome>): string {
  const { finish, error = "the cause is unknown" } = outcome ?? {};
  if (finish === "error") return `the sub-agent failed: ${error}`;
  return WHY_NO_REPORT[finish ?? "interrupted"] ?? "the sub-agent was interrupted";
}
