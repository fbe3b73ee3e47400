/** The session's model as the one that answers prompt handlers (H43). */
import { randomBytes } from "node:crypto";
import { finalText, newMessageId } from "@/common/chatMessage";
import { unreachable } from "@/common/errors";
import type { HookAnswer, HookModel, ModelQuestion } from "@/node/services/hooks/index";
import type { AIService, StreamRequest } from "@/node/services/session/aiService";
import type { AgentSessionOptions } from "@/node/services/session/tool";
import { runStream } from "@/node/services/session/runStream";

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
    ask: async (question) => {
      const asker = `${workspaceId}-hook-${randomBytes(4).toString("hex")}`;
      const request = requestFor(question, asker, question.model ?? currentModel());
      return await answerTo(request, aiService, question.signal);
    },
  };
}

function requestFor(
  { prompt, answerSchema }: ModelQuestion,
  workspaceId: string,
  model: string
): StreamRequest {
  return {
    workspaceId,
    messageId: newMessageId("assistant"),
    historySequence: 1,
    model,
    options: { model },
    messages: [
      {
        id: newMessageId("user"),
        role: "user",
        parts: [{ type: "text", text: prompt }],
        metadata: { historySequence: 0, timestamp: Date.now() },
        workspaceId,
      },
    ],
    tools: new Map(),
    answerSchema,
  };
}

async function answerTo(
  request: StreamRequest,
  service: AIService,
  signal: AbortSignal
): Promise<HookAnswer> {
  const { ending } = await runStream(service, request, signal, () => undefined);
  switch (ending.type) {
    case "stream-end": {
      const { finishReason = "stop" } = ending.metadata;
      // An answer that is cut off is judged like any other: it is not clear.
      return finishReason === "stop" || finishReason === "length"
        ? { text: finalText(ending.parts) }
        : { problem: `the answer is incomplete (${finishReason})` };
    }
    case "stream-abort":
      return { problem: "interrupted" };
    case "error":
      return { problem: ending.error };
    default:
      return unreachable(ending);
  }
}
