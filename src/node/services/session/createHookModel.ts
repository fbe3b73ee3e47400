/**
 * Lets prompt handlers ask the model of an embedded session, each question in a conversation of its own, without tools
 * and history (H43).
 */
import { randomBytes } from "node:crypto";
import { type ChatMessage, finalText, newMessageId } from "@/common/chatMessage";
import type { HookModel } from "@/node/services/hooks/index";
import type { StreamRequest } from "@/node/services/session/aiServiceTypes";
import type { AgentSessionOptions } from "@/node/services/session/toolHost";
import { streamAnswer } from "@/node/services/session/streamAnswer";

/**
 * Creates a model that answers each question in a conversation of its own, without tools and without history.
 *
 * @param currentModel returns the model of the current turn
 */
export function createHookModel(
  { aiService, workspaceId }: AgentSessionOptions,
  currentModel: () => string
): HookModel {
  return {
    ask: async ({ prompt, answerSchema, signal, model = currentModel() }) => {
      const asker = `${workspaceId}-hook-${randomBytes(4).toString("hex")}`;
      const message: ChatMessage = {
        id: newMessageId("user"),
        role: "user",
        parts: [{ type: "text", text: prompt }],
        metadata: { historySequence: 0, timestamp: Date.now() },
        workspaceId: asker,
      };
      const request: StreamRequest = {
        workspaceId: asker,
        messageId: newMessageId("assistant"),
        historySequence: 1,
        model,
        options: { model },
        messages: [message],
        tools: new Map(),
        answerSchema,
      };
      const { ending } = await streamAnswer(aiService, request, signal, () => undefined);
      if (ending.type === "error") return { problem: ending.error };
      if (ending.type === "stream-abort") return { problem: "interrupted" };
      const { finishReason = "stop" } = ending.metadata;
      // An answer that is cut off is judged like any other: it is not clear.
      return finishReason === "stop" || finishReason === "length"
        ? { text: finalText(ending.parts) }
        : { problem: `the answer is incomplete (${finishReason})` };
    },
  };
}
