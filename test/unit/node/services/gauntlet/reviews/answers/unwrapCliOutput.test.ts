import { describe, expect, test } from "vitest";
import {
  unwrapAny,
  unwrapResponse,
  unwrapResult,
  unwrapTextParts,
  usedTokens,
} from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";

const PASS = '{"status":"pass"}';
const json = (...events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");
const result = (text: string) => ({ type: "result", subtype: "success", result: text });

describe("the text in the output of a reviewer (G12a)", () => {
  test("claude and cursor: returns the last result, alone, streamed or in a list", () => {
    const stream = [{ type: "system", subtype: "init" }, { type: "assistant" }, result(PASS)];
    expect(unwrapResult(json(result(PASS)))).toBe(PASS);
    expect(unwrapResult(json(...stream))).toBe(PASS);
    expect(unwrapResult(JSON.stringify(stream))).toBe(PASS);
    expect(unwrapResult(`warning: {a}\n${json(result("first"), result(PASS))}`)).toBe(PASS);
  });

  test("keeps an envelope that the text quotes as a part of the text", () => {
    const text = `it prints ${JSON.stringify(result(PASS))} and fails`;
    expect(unwrapResult(json(result(text)))).toBe(text);
  });

  test("gemini: returns the response after other output", () => {
    const printed = JSON.stringify({ response: PASS, stats: { tokens: 1 } }, null, 2);
    expect(unwrapResponse(`Loaded cached credentials.\n${printed}\n`)).toBe(PASS);
  });

  test("opencode: returns the text of the model, not the output of its tools", () => {
    const read = { type: "tool_use", part: { type: "tool", state: { output: PASS } } };
    const say = (text: string) => ({ type: "text", part: { type: "text", text } });
    const think = { type: "reasoning", part: { type: "reasoning", text: "fail?" } };
    expect(unwrapTextParts(json(think, read, say("Let me see."), read, say(PASS)))).toBe(
      `Let me see.\n${PASS}`
    );
  });

  test.each(["", "plain text", PASS, '{"type":"result","is_error":true}', '{"type":"result"'])(
    "%j has no envelope",
    (text) => {
      const opened = [unwrapResult, unwrapResponse, unwrapTextParts].map((open) => open(text));
      expect(opened).toEqual([undefined, undefined, undefined]);
      expect(unwrapAny(text)).toBe(text);
    }
  );

  test("accepts any envelope from a custom command", () => {
    const message = { type: "item.completed", item: { type: "agent_message", text: PASS } };
    const think = { type: "item.completed", item: { type: "reasoning", text: "agent_message" } };
    expect(unwrapAny(json({ type: "turn.started" }, think, message))).toBe(PASS);
    expect(unwrapAny(json(result(PASS)))).toBe(PASS);
    expect(unwrapAny(json({ response: PASS }))).toBe(PASS);
    expect(unwrapAny(json({ type: "text", part: { text: PASS } }))).toBe(PASS);
  });

  test("treats an envelope in a custom command's plain text as a quotation", () => {
    const text = `The change prints\n${json(result(PASS))}\n{"status":"fail"}`;
    expect(unwrapAny(text)).toBe(text);
  });
});

test.each([
  [
    "claude",
    json({
      ...result(PASS),
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 7,
        output_tokens: 11,
      },
    }),
    26,
  ],
  [
    "qwen",
    JSON.stringify([
      { ...result(PASS), usage: { input_tokens: 3, output_tokens: 4, total_tokens: 9 } },
    ]),
    9,
  ],
  [
    "gemini",
    json({
      response: PASS,
      stats: { models: { pro: { tokens: { total: 30 } }, flash: { tokens: { total: 12 } } } },
    }),
    42,
  ],
  [
    "opencode",
    json(
      { type: "step_finish", part: { tokens: { input: 10, output: 2 } } },
      { type: "step_finish", part: { tokens: { input: 20, output: 4 } } }
    ),
    36,
  ],
  ["a program that reports none", PASS, 0],
  [
    "a program with a wrong number",
    json({ ...result(PASS), usage: { input_tokens: -4, output_tokens: "9" } }),
    0,
  ],
])("reads the tokens that %s reports (G30b)", (_, stdout, tokens) => {
  expect(usedTokens(stdout, "")).toBe(tokens);
});

test("reads the tokens that codex prints on standard error (G30b)", () => {
  expect(usedTokens(PASS, "thinking\ntokens used\n12,345\n")).toBe(12_345);
});
