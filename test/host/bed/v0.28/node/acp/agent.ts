/** An editor's conversations over ACP: each prompt is answered at the end of the turn that it begins. */
import { randomUUID } from "node:crypto";
import type { Config } from "@test/host/bed/common/node/config";
import type { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import type { ChatEvent } from "@test/host/bed/common/node/types";

interface TurnCompletion {
  promptCorrelationId: string;
  resolve: (answer: { stopReason: string }) => void;
  messageId?: string;
}

export interface AcpParts {
  config: Config;
  workspaces: WorkspaceService;
  /** Sends a message to the editor. */
  send: (method: string, params: object) => void;
}

export class MuxAgent {
  private readonly turnCompletions = new Map<string, TurnCompletion>();

  constructor(private readonly parts: AcpParts) {}

  async newSession({ cwd }: { cwd: string }): Promise<{ sessionId: string }> {
    const { config, workspaces, send } = this.parts;
    const { id } = config.addWorkspace({ name: "editor", projectPath: cwd });
    await workspaces.session(id).subscribeChat(({ message }) => {
      this.handleStreamEvent(id, message);
      if (message.type !== "stream-delta") return;
      const content = { type: "text", text: message.delta ?? "" };
      const update = { sessionUpdate: "agent_message_chunk", content };
      send("session/update", { sessionId: id, update });
    });
    return { sessionId: id };
  }

  async prompt(sessionId: string, text: string, model: string): Promise<{ stopReason: string }> {
    const promptCorrelationId = randomUUID();
    const answered = new Promise<{ stopReason: string }>((resolve) => {
      this.turnCompletions.set(sessionId, { promptCorrelationId, resolve });
    });
    const options = { model, agentId: "exec", acpPromptId: promptCorrelationId };
    await this.parts.workspaces.sendMessage(sessionId, text, options);
    return await answered;
  }

  private handleStreamEvent(sessionId: string, event: ChatEvent): void {
    const completion = this.turnCompletions.get(sessionId);
    if (completion === undefined) return;
    const isOurs = event.acpPromptId === completion.promptCorrelationId;
    if (event.type === "stream-start" && isOurs && event.messageId !== undefined) {
      completion.messageId = event.messageId;
    }
    const isLiveCall = event.replay !== true && event.messageId === completion.messageId;
    if (event.type === "tool-call-start" && event.toolName === "bash" && isLiveCall) {
      // The editor's terminal runs the script.
      this.parts.send("terminal/create", { sessionId, command: "bash" });
    }
    if (event.type !== "stream-end" && event.type !== "stream-abort") return;
    if (completion.messageId === undefined ? !isOurs : event.messageId !== completion.messageId) {
      return;
    }
    this.turnCompletions.delete(sessionId);
    completion.resolve({ stopReason: event.type === "stream-end" ? "end_turn" : "cancelled" });
  }
}
