/**
 * Checks the matchers of SubagentStop groups, and matches agent types against them, also by Claude Code's names (H11,
 * H40). A regular expression that takes too long is interrupted and does not match.
 */
import { runInNewContext } from "node:vm";
import { describeError, errorCode } from "@/common/errors";
import { MATCHER_LIMIT_MS, MAX_MATCHER_CHARS } from "@/common/limits";
import { clip, regExpProblem, visible } from "@/common/safeText";
import type { HookHandler } from "@/node/services/hooks/contract/types";

const CLAUDE_NAMES: ReadonlyMap<string, string> = new Map([
  ["explore", "Explore"],
  ["plan", "Plan"],
  ["exec", "general-purpose"],
]);

type MatchResult =
  | { readonly matches: boolean }
  /** The matcher itself is invalid or too slow, so it matches nothing. */
  | { readonly matches: false; readonly problem: string };

const MAX_PROBLEM_CHARS = 300;

/** A list of exact names: letters, digits, `_`, `-`, spaces, `,` and `|`. */
const NAME_LIST = /^[A-Za-z0-9_\- ,|]*$/;

/** Describes why a matcher can never be used, on one line that is safe to show, or returns undefined if it can. */
export function findMatcherProblem(matcher: string): string | undefined {
  if (matcher === "*" || NAME_LIST.test(matcher)) return undefined;
  if (matcher.length > MAX_MATCHER_CHARS) return `longer than ${MAX_MATCHER_CHARS} characters`;
  return regExpProblem(matcher);
}

/**
 * Matches an agent type. An empty one matches only match-all groups. Never throws, and never takes longer than a second,
 * or 100 ms of CPU time.
 *
 * @param dialect of the handler: a regular expression in the claude dialect is compared with Claude Code's name
 */
export function matchAgentType(
  matcher: string | undefined,
  agentType: string,
  dialect?: HookHandler["dialect"]
): MatchResult {
  const wanted = matcher?.trim() ?? "";
  if (wanted === "" || wanted === "*") return { matches: true };
  if (agentType === "") return { matches: false };
  if (NAME_LIST.test(wanted)) {
    const names = wanted.split(/[,|]/).map((name) => name.trim());
    return { matches: names.includes(agentType) || names.includes(claudeAgentName(agentType)) };
  }
  const problem = findMatcherProblem(wanted);
  if (problem === undefined) {
    return matchPattern(wanted, dialect === "claude" ? claudeAgentName(agentType) : agentType);
  }
  const shown = visible(clip(wanted, MAX_PROBLEM_CHARS));
  return { matches: false, problem: `the matcher "${shown}" cannot be used: ${problem}` };
}

/**
 * Matches a regular expression in a `vm` context, which can interrupt a pattern that backtracks endlessly. On a busy
 * machine any pattern may take longer than the limit, so there is a second attempt, and an attempt for which the process
 * got little of the CPU does not count.
 */
function matchPattern(pattern: string, subject: string): MatchResult {
  for (let slow = 0, attempt = 1; ; attempt++) {
    const before = process.cpuUsage();
    try {
      const found: unknown = runInNewContext(
        "new RegExp(pattern).test(subject)",
        { pattern, subject },
        { timeout: MATCHER_LIMIT_MS }
      );
      return { matches: found === true };
    } catch (thrown) {
      const isSlow = errorCode(thrown) === "ERR_SCRIPT_EXECUTION_TIMEOUT";
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 >= MATCHER_LIMIT_MS / 2) slow++;
      if (isSlow && slow < MAX_SLOW && attempt < MAX_ATTEMPTS) continue;
      const shown = visible(clip(pattern, MAX_PROBLEM_CHARS));
      const problem = isSlow
        ? `the matcher "${shown}" took longer than ${MATCHER_LIMIT_MS} ms on agent type "${visible(subject)}" so it counts as not matching; simplify it`
        : `the matcher "${shown}" failed: ${visible(clip(describeError(thrown), MAX_PROBLEM_CHARS))}`;
      return { matches: false, problem };
    }
  }
}

const MAX_SLOW = 2;
const MAX_ATTEMPTS = 20;

/** Returns Claude Code's name of an agent type, or the type itself if Claude Code has no such agent. */
function claudeAgentName(agentType: string): string {
  return CLAUDE_NAMES.get(agentType) ?? agentType;
}
