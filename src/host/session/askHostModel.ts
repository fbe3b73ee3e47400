/**
 * Lets hooks of the type `prompt` ask Mux's own models, by default that of the turn (H43). The members that it needs,
 * `AIService.createModel` and `doStream` of the AI SDK's models, are recognized by their shape.
 */
import { describeError } from "@/common/errors";
import { isJsonObject } from "@/common/json";
import { MIB } from "@/common/limits";
import type { HostAgentSession } from "@/host/muxTypes";
import type { HookAnswer, HookModel, ModelQuestion } from "@/node/services/hooks/index";

const MAX_ANSWER_CHARS = MIB;

interface StreamingModel {
  doStream(options: {
    readonly prompt: readonly object[];
    /** A provider that cannot restrict its answers ignores it. */
    readonly responseFormat: { readonly type: "json"; readonly schema: object };
    readonly abortSignal: AbortSignal;
  }): PromiseLike<{ readonly stream: AsyncIterable<unknown> }>;
}

/**
 * Returns the models of a host, or undefined if this version cannot create any for us.
 *
 * @param modelOfTurn returns the model of the turn that ends, as the host names it
 */
export function hostHookModel(
  { aiService, workspaceId }: Pick<HostAgentSession, "aiService" | "workspaceId">,
  modelOfTurn: () => string | undefined
): HookModel | undefined {
  if (typeof aiService.createModel !== "function") return undefined;
  return {
    ask: async (question) => {
      const name = question.model ?? modelOfTurn();
      if (name === undefined) return { problem: "Mux did not report the model of this turn" };
      try {
        const options = { agentInitiated: true, workspaceId };
        const created = await aiService.createModel?.(name, undefined, options);
        if (created?.success !== true)
          return { problem: `Mux cannot use the model ${name}: ${describe(created?.error)}` };
        return canStream(created.data)
          ? await answerOf(created.data, question)
          : { problem: `this version of Mux returned a model for ${name} that has no doStream` };
      } catch (thrown) {
        return { problem: describe(thrown) };
      }
    },
  };
}

function canStream(model: unknown): model is StreamingModel {
  return typeof (model as Partial<StreamingModel> | null)?.doStream === "function";
}

/** Streams the answer, because some of the host's providers cannot generate one without a stream. */
async function answerOf(
  model: StreamingModel,
  { prompt, answerSchema, signal }: ModelQuestion
): Promise<HookAnswer> {
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    responseFormat: { type: "json", schema: answerSchema },
    abortSignal: signal,
  });
  let answer = "";
  for await (const part of stream) {
    if (!isJsonObject(part)) continue;
    if (part.type === "error") return { problem: describe(part.error) };
    if (part.type === "text-delta" && typeof part.delta === "string") answer += part.delta;
    if (answer.length > MAX_ANSWER_CHARS) {
      return { problem: `the answer has more than ${MAX_ANSWER_CHARS} characters` };
    }
  }
  return { text: answer };
}

/** Describes an error of the host, which is an exception, a text, or an object with a message or only a type. */
function describe(error: unknown): string {
  if (error instanceof Error || !isJsonObject(error)) return describeError(error);
  const { message, type } = error;
  return typeof message === "string" ? message : typeof type === "string" ? type : "unknown error";
}
