import { expect, test } from "vitest";
import { HOST_NAMES } from "@/cli/gauntlet/hosts/index";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import { runLimitMs } from "@/node/services/gauntlet/hook/stopDecision";

function parse(...args: string[]) {
  const { host, ...options } = parseStopOptions(args);
  return { ...options, host: host?.name };
}

const DEFAULTS = { verify: false, host: undefined, limitS: 300, warnings: [] };

test.each([
  [[], DEFAULTS],
  [["--verify"], { ...DEFAULTS, verify: true }],
  [["--host", "claude", "--limit", "60"], { ...DEFAULTS, host: "claude", limitS: 60 }],
  [["--limit=2.5", "--host=unknown"], { ...DEFAULTS, host: "unknown", limitS: 2.5 }],
])("parses %j (G27b)", (args, options) => {
  expect(parse(...args)).toEqual(options);
});

test.each([
  [["--verify=true", "--verify=false"], 'the argument "--verify=false" is ignored'],
  [["--verify", "more"], 'the argument "more" is ignored'],
  [["--verify", "--host", "emacs"], `expected one of ${HOST_NAMES.join(", ")}, found`],
  [["--verify", "--host"], "found no value"],
  [["--host", "--verify"], "found no value"],
  [["--verify", "--answer", "toString"], "expected one of claude, exit2, followup, ok"],
  [["--verify", "--limit", "0"], '--limit is ignored: expected seconds from 1 to 86400, found "0"'],
  [["--verify", "--limit", "1e9"], "--limit is ignored"],
  [["--verify", "--limit", "99999"], "--limit is ignored"],
])("warns of %j and keeps the rest (G23)", (args, warning) => {
  const { warnings, ...options } = parse(...args);
  expect(options).toEqual({ verify: true, host: undefined, limitS: 300 });
  expect(warnings).toEqual([expect.stringContaining(warning)]);
});

test.each([
  [300, 290_000],
  [20, 10_000],
  [4, 2_000],
])("subtracts the time to report from a limit of %i s (G27c)", (limitS, ms) => {
  expect(runLimitMs(limitS * 1_000)).toBe(ms);
});
