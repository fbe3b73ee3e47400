import { describe, expect, test } from "vitest";
import {
  classifyFailure,
  lastWords,
} from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";

describe("classifyFailure (G13)", () => {
  test.each([
    "Claude AI usage limit reached|1755806400",
    "You've hit your limit · resets 8pm (Europe/Berlin)",
    "You've hit your session limit · resets 3:45pm",
    "ERROR: You've hit your usage limit. Try again at 5:00 PM.",
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}',
    "[API Error: Resource has been exhausted (e.g. check quota).]",
    '"status": "RESOURCE_EXHAUSTED"',
    "exceeded retry limit, last status: 429 Too Many Requests",
    "API Error (overloaded_error): Overloaded",
    "HTTP 529",
    "You have exceeded your monthly quota for premium requests",
    "Credit balance is too low",
    "Rate limited. Please try again later.",
  ])("%s: rate limited", (line) => {
    expect(classifyFailure(line, "")).toBe("rateLimited");
    expect(classifyFailure("", `starting\n${line}\n`)).toBe("rateLimited");
  });

  test.each([
    "Invalid API key · Please run /login",
    "Error: not logged in. Run codex login",
    "HTTP 401 Unauthorized",
    "Please set an Auth method in your settings.json",
  ])("%s: logged out", (line) => {
    expect(classifyFailure("", line)).toBe("loggedOut");
  });

  test.each([
    "FetchError: request failed, reason: getaddrinfo ENOTFOUND api.example.com",
    "Connection error.",
    "stream disconnected: network is unreachable",
    "Unable to connect to API (ConnectionRefused)",
  ])("%s: offline", (line) => {
    expect(classifyFailure("", line)).toBe("offline");
  });

  test.each([
    "I'm unable to help with that request.",
    "I can't assist with reviewing this.",
    "I cannot review this change.",
    "This request appears to violate our Usage Policy.",
  ])("%s: refused", (said) => {
    expect(classifyFailure(said, "")).toBe("refused");
  });

  test.each([
    ["no output", "", ""],
    ["an error", "", "Error: ENOENT: no such file, line 429"],
    [
      "a review of rate limits",
      `The rate limiter is wrong. ${"It counts twice. ".repeat(200)}`,
      "",
    ],
    ["early output of a long session", "", `rate limit in src/a.ts\n${"reading\n".repeat(50)}`],
  ])("%s: unknown", (_, said, stderr) => {
    expect(classifyFailure(said, stderr)).toBe("unknown");
  });
});

/**
 * What each program prints without a key, a login, a quota or a network: from the packages of Codex 0.169, Gemini CLI 0.61,
 * Qwen Code 0.24 and opencode 1.18, and from the public issues and documents of the others.
 */
describe("classifyFailure, by program (G13)", () => {
  const KEY =
    "You didn't provide an API key. You need to provide your API key in an Authorization header";
  test.each([
    ["claude", "loggedOut", "Not logged in · Please run /login"],
    [
      "claude",
      "loggedOut",
      "OAuth token has expired. Please obtain a new token or refresh your existing token.",
    ],
    ["claude", "rateLimited", "You've hit your limit · resets 8pm (Europe/Berlin)"],
    ["claude", "offline", "API Error: Unable to connect to API (ConnectionRefused)"],
    ["codex", "loggedOut", 'ERROR: unexpected status 401 Unauthorized: {"detail":"Unauthorized"}'],
    ["codex", "loggedOut", "ERROR: Missing environment variable: `OPENAI_API_KEY`."],
    ["codex", "loggedOut", `ERROR: ${KEY}`],
    ["codex", "rateLimited", "ERROR: You've hit your usage limit. Try again at 5:00 PM."],
    ["codex", "rateLimited", "ERROR: exceeded retry limit, last status: 429 Too Many Requests"],
    ["codex", "rateLimited", "ERROR: Quota exceeded. Check your plan and billing details."],
    [
      "codex",
      "rateLimited",
      "ERROR: To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
    ],
    ["codex", "rateLimited", "ERROR: Selected model is at capacity. Please try a different model."],
    [
      "codex",
      "loggedOut",
      "ERROR: Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.",
    ],
    [
      "codex",
      "offline",
      "ERROR: stream disconnected before completion: failed to lookup address information: Try again",
    ],
    [
      "codex",
      "offline",
      "ERROR: stream disconnected before completion: error sending request for url (https://localhost/v1/responses)",
    ],
    [
      "gemini",
      "loggedOut",
      "Please set an Auth method in your settings.json or specify one of the following environment variables before running: GEMINI_API_KEY",
    ],
    [
      "gemini",
      "loggedOut",
      "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
    ],
    ["gemini", "loggedOut", "Gemini API key is missing or not configured."],
    [
      "gemini",
      "rateLimited",
      "Possible quota limitations in place or slow response times detected.",
    ],
    ["gemini", "rateLimited", "You have exhausted your daily quota on this model."],
    [
      "gemini",
      "offline",
      "request to https://localhost/ failed, reason: getaddrinfo ENOTFOUND localhost",
    ],
    [
      "qwen",
      "loggedOut",
      "No auth type is selected. Please configure an auth type (e.g. via settings or `--auth-type`)",
    ],
    [
      "qwen",
      "loggedOut",
      "The OPENAI_API_KEY environment variable is missing or empty; either provide it",
    ],
    ["qwen", "rateLimited", "Qwen OAuth quota exceeded: wait until tomorrow"],
    [
      "qwen",
      "loggedOut",
      "Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey, or set the OPENAI_API_KEY environment variable.",
    ],
    [
      "qwen",
      "loggedOut",
      "Qwen OAuth free tier was discontinued on 2026-04-15. Please select a model from another provider or run /auth to switch.",
    ],
    ["qwen", "offline", "[API Error: Connection error. (cause: fetch failed)]"],
    [
      "opencode",
      "loggedOut",
      "Error: OpenAI API key is missing. Pass it using the 'apiKey' parameter",
    ],
    ["opencode", "loggedOut", `401 invalid_request_error: ${KEY}`],
    ["opencode", "offline", "Error: Unable to connect. Is the computer able to access the url?"],
    ["cursor-agent", "loggedOut", "Not authenticated"],
    ["copilot", "loggedOut", "Error: No authentication information found."],
    ["copilot", "rateLimited", "Execution failed: 402 You have no quota"],
  ])("%s is %s: %s", (_, failure, line) => {
    expect(classifyFailure("", `starting\n${line}\n`)).toBe(failure);
  });
});

describe("lastWords", () => {
  test.each([
    [
      "the error, not Codex's token count",
      "",
      "ERROR: model output limit\ntokens used\n15\n",
      "ERROR: model output limit",
    ],
    [
      "the error before other lines",
      "",
      "Error: no model\n    at main (cli.js:1:1)\n",
      "Error: no model",
    ],
    [
      "the error on standard output",
      "[API Error: Connection error.]",
      "Loaded.\n",
      "[API Error: Connection error.]",
    ],
    ["the last line without an error", "a\nb\n", "c\nd\n\n", "d"],
    ["nothing of numbers alone", "", "tokens used: 1,234\n15\n", ""],
  ])("returns %s", (_, said, stderr, words) => {
    expect(lastWords(said, stderr)).toBe(words);
  });
});
