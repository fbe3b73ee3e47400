/** The hooks of one sub-agent in a running host (H28a). */
import { MIB } from "@/common/limits";
import { isJsonObject, parseJson } from "@/common/json";
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HostController, type HostControllerOptions } from "@/host/session/HostController";
import type { HostSendOptions, Report } from "@/host/muxTypes";
import { modelFields, type FrozenTurn, type StopVerdict } from "@/node/services/hooks/index";

/** The maximum size of each file, to limit memory. */
const MAX_BYTES = 64 * MIB;

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

/**
 * Writes a copy of a session's `chat.jsonl` that includes the message. The copy is removed with the session's folder.
 * @returns the path of the copy, or of `chat.jsonl` if there is no message to add
 */
async function writeRunningTranscript(sessionDir: string): Promise<string> {
  const chat = join(sessionDir, "chat.jsonl");
  const copy = join(sessionDir, "chat.subagent-stop.jsonl");
  try {
    const partial = join(sessionDir, "partial.json");
    const sizes = await Promise.all([stat(chat), stat(partial)]);
    if (sizes.some(({ size }) => size > MAX_BYTES)) return chat;
    const [rows, running] = await Promise.all([readFile(chat, "utf8"), readFile(partial, "utf8")]);
    const message = parseJson(running).unwrapOr(undefined);
    if (!isJsonObject(message)) return chat;
    const before = rows.split("\n").filter((row) => row !== "" && !isRowOf(message.id, row));
    await writeFile(copy, [...before, JSON.stringify(message), ""].join("\n"), { mode: 0o600 });
    return copy;
  } catch {
    // The message was completed in between and is in the transcript itself.
    return chat;
  }
}

/** Returns whether a row has the message's id. The host reserves its position with an empty row. */
function isRowOf(id: unknown, row: string): boolean {
  const parsed = parseJson(row).unwrapOr(undefined);
  return isJsonObject(parsed) && parsed.id === id;
}
