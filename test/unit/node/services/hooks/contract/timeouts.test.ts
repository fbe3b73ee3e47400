import { expect, test } from "vitest";
import type { HookHandler } from "@/node/services/hooks/contract/types";
import { hookTimeoutMs } from "@/node/services/hooks/contract/hookFacts";

const http = { type: "http", url: "http://a/" } as const;
const prompt = { type: "prompt", prompt: "P" } as const;

test.each<[string, HookHandler, number]>([
  ["an http handler", http, 10],
  ["an http handler in the claude dialect", { ...http, dialect: "claude" }, 600],
  ["an http handler with its own limit", { ...http, timeout: 7 }, 7],
  ["a prompt handler", prompt, 30],
  ["a prompt handler in the claude dialect", { ...prompt, dialect: "claude" }, 30],
])(
  "%s has its default time limit, which stopHooks.timeout does not change (H42, H43)",
  (_, handler, seconds) => {
    expect(hookTimeoutMs(handler, undefined)).toBe(seconds * 1000);
    expect(hookTimeoutMs(handler, 99)).toBe(seconds * 1000);
  }
);

test("stopHooks.timeout is the default of commands, in every dialect (H4)", () => {
  expect(hookTimeoutMs({ type: "command", command: "c" }, 99)).toBe(99_000);
  expect(hookTimeoutMs({ type: "command", command: "c", dialect: "claude" }, 99)).toBe(99_000);
});
