import { describe, expect, test } from "vitest";
import type { HostAIService } from "@/host/muxTypes";
import { hostHookModel } from "@/host/session/askHostModel";

const answerSchema = { type: "object" };
const { signal } = new AbortController();
type CreateModel = NonNullable<HostAIService["createModel"]>;

function modelOf(createModel: unknown, ofTurn?: string) {
  const aiService = { createModel } as unknown as HostAIService;
  return hostHookModel({ aiService, workspaceId: "w" }, () => ofTurn);
}

async function answer(createModel: CreateModel, ofTurn?: string) {
  return await modelOf(createModel, ofTurn)!.ask({ prompt: "P", answerSchema, signal });
}

/** Returns a host's function whose models stream these parts. */
function streams(...parts: unknown[]): CreateModel {
  const stream = (async function* () {
    yield* await Promise.resolve(parts);
  })();
  const data = { doStream: () => Promise.resolve({ stream }) };
  return () => Promise.resolve({ success: true, data });
}

describe("the model of a host for prompt hooks (H43)", () => {
  test("asks with the model of the turn, as the host's own features do", async () => {
    const asked: unknown[] = [];
    const data = {
      doStream: (options: unknown) => {
        asked.push(options);
        return Promise.resolve({ stream: [] });
      },
    };
    const createModel = (...args: unknown[]) => {
      asked.push(args);
      return Promise.resolve({ success: true, data } as const);
    };
    await answer(createModel, "anthropic:m");
    expect(asked).toEqual([
      ["anthropic:m", undefined, { agentInitiated: true, workspaceId: "w" }],
      {
        prompt: [{ role: "user", content: [{ type: "text", text: "P" }] }],
        responseFormat: { type: "json", schema: answerSchema },
        abortSignal: signal,
      },
    ]);
  });

  test.each<[string, CreateModel, string]>([
    [
      "a model that the host does not have",
      () => Promise.resolve({ success: false, error: { type: "api_key_not_found" } }),
      "Mux cannot use the model m: api_key_not_found",
    ],
    [
      "a model of another shape",
      () => Promise.resolve({ success: true, data: "m" }),
      "this version of Mux returned a model for m that has no doStream",
    ],
    ["an exception", () => Promise.reject(new Error("E")), "E"],
    [
      "an error in the stream",
      streams(null, { type: "error", error: { message: "quota" } }),
      "quota",
    ],
    [
      "an answer without end",
      streams({ type: "text-delta", delta: "x".repeat(2 ** 21) }),
      "the answer has more than 1048576 characters",
    ],
  ])("reports %s", async (_, createModel, problem) => {
    expect(await answer(createModel, "m")).toEqual({ problem });
  });

  test("reports a turn without a model", async () => {
    expect(await answer(streams())).toEqual({
      problem: "Mux did not report the model of this turn",
    });
  });
});
