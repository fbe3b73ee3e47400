/** The hooks of one sub-agent in a running host (H28a). */
import { dirname, join } from "node:path";
import { HostController } from "@/host/session/HostController";
import type { HostControllerOptions } from "@/host/session/options";
import type { HostSendOptions } from "@/host/muxTypes";
import { writeRunningTranscript } from "@/host/session/runningTranscript";
import type { Report } from "@/host/muxTaskTypes";
import { modelFields, type FrozenTurn, type StopVerdict } from "@/node/services/hooks/index";

type SubagentOptions = Omit<HostControllerOptions, "event">;

export class SubagentController {
  static async open(options: SubagentOptions): Promise<SubagentController> {
    const host = await HostController.open({ ...options, event: "SubagentStop" });
    return new SubagentController(options, host);
  }

  private constructor(
    private readonly options: SubagentOptions,
    private readonly host: HostController
  ) {}

  get turn(): FrozenTurn | undefined {
    return this.host.turn;
  }

  /** Calls {@link HostController.beginTurn}. */
  async beginTurn(isConfigured: boolean): Promise<boolean> {
    return await this.host.beginTurn(isConfigured);
  }

  /** Runs the hooks for a report. @param isOutdated returns whether the report is obsolete, regardless of hooks */
  async reportReady(
    report: Report,
    options: HostSendOptions,
    isOutdated: () => boolean,
    signal: AbortSignal
  ): Promise<StopVerdict> {
    const { session, checkout } = this.options;
    const { metadata } = checkout;
    const chat = this.host.transcriptPath;
    const transcript = report.isEarly ? await writeRunningTranscript(dirname(chat)) : chat;
    const agent = options.agentId ?? options.mode ?? metadata.agentId;
    const parentId = metadata.parentWorkspaceId ?? "";
    const cancel = (): void => {
      this.host.cancel();
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      if (signal.aborted) return { action: "end", reason: "interrupted" };
      this.host.usesModelOf(options);
      return await this.host.controller.turnEnded({
        finish: "stop",
        hasQueuedInput: isOutdated,
        input: {
          session_id: report.childId,
          transcript_path: transcript,
          cwd: this.host.dir,
          permission_mode: agent === "plan" ? "plan" : "default",
          last_assistant_message: report.text,
          agent_id: report.childId,
          agent_type: report.agentType ?? metadata.agentType ?? agent ?? "",
          agent_transcript_path: transcript,
          parent_session_id: parentId,
          parent_transcript_path: join(session.config.getSessionDir(parentId), "chat.jsonl"),
          ...modelFields({ model: options.model, thinkingLevel: options.thinkingLevel }),
        },
      });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async dispose(): Promise<void> {
    await this.host.dispose();
  }
}
