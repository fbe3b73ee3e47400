import { describe, expect, test } from "vitest";
import * as cli from "@/node/services/gauntlet/reviews/answers/cliOutput";

const PASS = '{"status":"pass"}';
const json = (...events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");
const result = (text: string) => ({ type: "result", subtype: "success", result: text });

describe("the text in the output of a reviewer (G12a)", () => {
  test("claude and cursor: returns the last result, alone, streamed or in a list", () => {
    const stream = [{ type: "system", subtype: "init" }, { type: "assistant" }, result(PASS)];
    expect(cli.unwrapResult(json(result(PASS)))).toBe(PASS);
    expect(cli.unwrapResult(json(...stream))).toBe(PASS);
    expect(cli.unwrapResult(JSON.stringify(stream))).toBe(PASS);
    expect(cli.unwrapResult(`warning: {a}\n${json(result("first"), result(PASS))}`)).toBe(PASS);
  });

  test("keeps an envelope that the text quotes as a part of the text", () => {
    const text = `it prints ${JSON.stringify(result(PASS))} and fails`;
    expect(cli.unwrapResult(json(result(text)))).toBe(text);
  });

  test("gemini: returns the response after other output", () => {
    const printed = JSON.stringify({ response: PASS, stats: { tokens: 1 } }, null, 2);
    expect(cli.unwrapResponse(`Loaded cached credentials.\n${printed}\n`)).toBe(PASS);
  });

  test("opencode: returns the text of the model, not the output of its tools", () => {
    const read = { type: "tool_use", part: { type: "tool", state: { output: PASS } } };
    const say = (text: string) => ({ type: "text", part: { type: "text", text } });
    const think = { type: "reasoning", part: { type: "reasoning", text: "fail?" } };
    expect(cli.unwrapTextParts(json(think, read, say("Let me see."), read, say(PASS)))).toBe(
      `Let me see.\n${PASS}`
    );
  });

  test.each(["", "plain text", PASS, '{"type":"result","is_error":true}', '{"type":"result"'])(
    "%j has no envelope",
    (text) => {
      const opened = [cli.unwrapResult, cli.unwrapResponse, cli.unwrapTextParts].map((open) =>
        open(text)
      );
      expect(opened).toEqual([undefined, undefined, undefined]);
      expect(cli.unwrapAny(text)).toBe(text);
    }
  );

  test("accepts any envelope from a custom command", () => {
    const message = { type: "item.completed", item: { type: "agent_message", text: PASS } };
    const think = { type: "item.completed", item: { type: "reasoning", text: "agent_message" } };
    expect(cli.unwrapAny(json({ type: "turn.started" }, think, message))).toBe(PASS);
    expect(cli.unwrapAny(json(result(PASS)))).toBe(PASS);
    expect(cli.unwrapAny(json({ response: PASS }))).toBe(PASS);
    expect(cli.unwrapAny(json({ type: "text", part: { text: PASS } }))).toBe(PASS);
  });

  test("treats an envelope in a custom command's plain text as a quotation", () => {
    const text = `The change prints\n${json(result(PASS))}\n{"status":"fail"}`;
    expect(cli.unwrapAny(text)).toBe(text);
  });
});

const used = (usage: object) => ({ ...result(PASS), usage });
const cached = { cache_creation_input_tokens: 5, cache_read_input_tokens: 7 };
const models = { pro: { tokens: { total: 30 } }, flash: { tokens: { total: 12 } } };
const step = (input: number, output: number) => ({
  ...{ type: "step_finish", part: { tokens: { input, output } } },
});

test.each([
  ["claude", json(used({ input_tokens: 3, ...cached, output_tokens: 11 })), 26],
  ["qwen", JSON.stringify([used({ input_tokens: 3, output_tokens: 4, total_tokens: 9 })]), 9],
  ["gemini", json({ response: PASS, stats: { models } }), 42],
  ["opencode", json(step(10, 2), step(20, 4)), 36],
  ["a program that reports none", PASS, 0],
  ["a program with a wrong number", json(used({ input_tokens: -4, output_tokens: "9" })), 0],
])("reads the tokens that %s reports (G30b)", (_, stdout, tokens) => {
  expect(cli.usedTokens(stdout, "")).toBe(tokens);
});

test("reads the tokens that codex prints on standard error (G30b)", () => {
  expect(cli.usedTokens(PASS, "thinking\ntokens used\n12,345\n")).toBe(12_345);
});

/**
 * By failure and program, what is printed without a key, a login, a quota or a network: from the packages of Codex 0.169,
 * Gemini CLI 0.61, Qwen Code 0.24 and opencode 1.18, and from the public issues and documents of the others.
 */
const KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header";
const FAILURES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  loggedOut: {
    claude: [
      "Not logged in · Please run /login",
      "OAuth token has expired. Please obtain a new token or refresh your existing token.",
    ],
    codex: [
      'ERROR: unexpected status 401 Unauthorized: {"detail":"Unauthorized"}',
      "ERROR: Missing environment variable: `OPENAI_API_KEY`.",
      `ERROR: ${KEY}`,
      "ERROR: Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.",
    ],
    gemini: [
      "Please set an Auth method in your settings.json or specify one of the following environment variables before running: GEMINI_API_KEY",
      "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
      "Gemini API key is missing or not configured.",
    ],
    qwen: [
      "No auth type is selected. Please configure an auth type (e.g. via settings or `--auth-type`)",
      "The OPENAI_API_KEY environment variable is missing or empty; either provide it",
      "Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey, or set the OPENAI_API_KEY environment variable.",
      "Qwen OAuth free tier was discontinued on 2026-04-15. Please select a model from another provider or run /auth to switch.",
    ],
    opencode: [
      "Error: OpenAI API key is missing. Pass it using the 'apiKey' parameter",
      `401 invalid_request_error: ${KEY}`,
    ],
    "cursor-agent": ["Not authenticated"],
    copilot: ["Error: No authentication information found."],
  },
  rateLimited: {
    claude: ["You've hit your limit · resets 8pm (Europe/Berlin)"],
    codex: [
      "ERROR: You've hit your usage limit. Try again at 5:00 PM.",
      "ERROR: exceeded retry limit, last status: 429 Too Many Requests",
      "ERROR: To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
      "ERROR: Selected model is at capacity. Please try a different model.",
    ],
    gemini: ["You have exhausted your daily quota on this model."],
    qwen: ["Qwen OAuth quota exceeded: wait until tomorrow"],
    copilot: ["Execution failed: 402 You have no quota"],
  },
  offline: {
    claude: ["API Error: Unable to connect to API (ConnectionRefused)"],
    codex: [
      "ERROR: stream disconnected before completion: failed to lookup address information: Try again",
      "ERROR: stream disconnected before completion: error sending request for url (https://localhost/v1/responses)",
    ],
    gemini: ["request to https://localhost/ failed, reason: getaddrinfo ENOTFOUND localhost"],
    qwen: ["[API Error: Connection error. (cause: fetch failed)]"],
    opencode: ["Error: Unable to connect. Is the computer able to access the url?"],
  },
};

describe("classifyFailure (G13)", () => {
  test.each([
    "Claude AI usage limit reached|1755806400",
    "You've hit your session limit · resets 3:45pm",
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}',
    "[API Error: Resource has been exhausted (e.g. check quota).]",
    '"status": "RESOURCE_EXHAUSTED"',
    "API Error (overloaded_error): Overloaded",
    "HTTP 529",
    "Credit balance is too low",
    "Rate limited. Please try again later.",
  ])("%s: rate limited", (line) => {
    expect(cli.classifyFailure(line, "")).toBe("rateLimited");
    expect(cli.classifyFailure("", `starting\n${line}\n`)).toBe("rateLimited");
  });

  test.each([
    "I'm unable to help with that request.",
    "I can't assist with reviewing this.",
    "I cannot review this change.",
    "This request appears to violate our Usage Policy.",
  ])("%s: refused", (said) => {
    expect(cli.classifyFailure(said, "")).toBe("refused");
  });

  test.each([
    ["no output", "", ""],
    ["an error", "", "Error: ENOENT: no such file, line 429"],
    ["a path of a log", "it is logged in '/tmp/r.log'", "Error: failed, see the log in tmp/r.log"],
    [
      "a review of rate limits",
      `The rate limiter is wrong. ${"It counts twice. ".repeat(200)}`,
      "",
    ],
    ["early output of a long session", "", `rate limit in src/a.ts\n${"reading\n".repeat(50)}`],
  ])("%s: unknown", (_, said, stderr) => {
    expect(cli.classifyFailure(said, stderr)).toBe("unknown");
  });
});

test.each(
  Object.entries(FAILURES).flatMap(([failure, programs]) =>
    Object.entries(programs).flatMap(([program, lines]) =>
      lines.map((line) => [program, failure, line] as const)
    )
  )
)("%s is %s: %s (G13)", (_, failure, line) => {
  expect(cli.classifyFailure("", `starting\n${line}\n`)).toBe(failure);
});

describe("lastWords", () => {
  test.each([
    ["the error, not a token count", "", "ERROR: too long\ntokens used\n15\n", "ERROR: too long"],
    ["the error before other lines", "", "Error: no\n    at main (cli.js:1:1)\n", "Error: no"],
    ["the error on standard output", "[API Error: no.]", "Loaded.\n", "[API Error: no.]"],
    ["the last line without an error", "a\nb\n", "c\nd\n\n", "d"],
    ["nothing of numbers alone", "", "tokens used: 1,234\n15\n", ""],
  ])("returns %s", (_, said, stderr, words) => {
    expect(cli.lastWords(said, stderr)).toBe(words);
  });
});
