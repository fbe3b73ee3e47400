import { expect, test } from "vitest";
import { hookTimeoutMs, hookTitle } from "@/node/services/hooks/contract/hookFacts";
import type { HookHandler } from "@/node/services/hooks/contract/types";

const DEEP = "/home/you/projects/some-company/some-product/tools/hooks/checks";

const SPACED = `${DEEP} of mine/verify stop.py`;

test.each<[string, string[] | undefined, RegExp]>([
  [`node "${DEEP}/verify-stop.mjs" --all`, undefined, /^node "\/home\/you\/.*…\/verify-stop\.mjs$/],
  [`/usr/bin/env python3 '${SPACED}'`, undefined, /^\/usr\/bin\/env .*…\/verify stop\.py$/],
  [
    `"\${CLAUDE_PLUGIN_ROOT}"${DEEP}/stop.sh`,
    undefined,
    /^"\$\{CLAUDE_PLUGIN_ROOT\}"\/.*…\/stop\.sh$/,
  ],
  ["node", [`${DEEP}/verify-stop.mjs`], /^node \/home\/you.*…\/verify-stop\.mjs$/],
  // A very long name is shortened at its beginning, and a command without a path at its end.
  [`sh ${DEEP}/${"x".repeat(100)}-stop.sh`, undefined, /^sh \/home.*…x+-stop\.sh$/],
  [`echo ${"x".repeat(100)}`, undefined, /^echo x{54}…$/],
  [`./check.sh ${"--verbose ".repeat(20)}`, undefined, /^\.\/check\.sh (--verbose ){4}--verbos…$/],
])(
  "the title of %s %j has 60 characters, with the name of its script (H12)",
  (command, args, title) => {
    expect(hookTitle({ type: "command", command, args })).toMatch(title);
    expect(hookTitle({ type: "command", command, args })).toHaveLength(60);
  }
);

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
