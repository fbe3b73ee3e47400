import { expect, test } from "vitest";
import { hookTimeoutMs, hookTitle } from "@/node/services/hooks/contract/hookFacts";
import type { HookHandler } from "@/node/services/hooks/contract/types";

const DEEP = "/home/you/projects/some-company/some-product/tools/hooks/checks";

const titleOf = (command: string, args?: string[]): string =>
  hookTitle({ type: "command", command, args });

const SPACED = `${DEEP} of mine/verify stop.py`;

test.each([
  [`node "${DEEP}/verify-stop.mjs" --all`, /^node "\/home\/you\/.*…\/verify-stop\.mjs$/],
  [`/usr/bin/env python3 '${SPACED}'`, /^\/usr\/bin\/env .*…\/verify stop\.py$/],
  [`"\${CLAUDE_PLUGIN_ROOT}"${DEEP}/stop.sh`, /^"\$\{CLAUDE_PLUGIN_ROOT\}"\/.*…\/stop\.sh$/],
])("the title of %s has the name of its script (H12)", (command, title) => {
  expect(titleOf(command)).toMatch(title);
  expect(titleOf(command)).toHaveLength(60);
});

test("a script among the arguments of a program is named as well (H12)", () => {
  expect(titleOf("node", [`${DEEP}/verify-stop.mjs`])).toMatch(
    /^node \/home\/you.*…\/verify-stop\.mjs$/
  );
});

test("a very long name of a script is shortened at its beginning (H12)", () => {
  const title = titleOf(`sh ${DEEP}/${"x".repeat(100)}-stop.sh`);
  expect(title).toHaveLength(60);
  expect(title).toMatch(/^sh \/home.*…x+-stop\.sh$/);
});

test("a command without a path is cut at its end (H12)", () => {
  expect(titleOf(`echo ${"x".repeat(100)}`)).toBe(`echo ${"x".repeat(54)}…`);
});

test("a script within the first 60 characters leaves the beginning as it is (H12)", () => {
  const line = `./check.sh ${"--verbose ".repeat(20)}`;
  expect(titleOf(line)).toBe(`${line.slice(0, 59)}…`);
});

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
