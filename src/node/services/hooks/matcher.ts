/** Which agent types a SubagentStop group is for (H11). */
import { runInNewContext } from "node:vm";
import { describeError, errorCode } from "@/common/errors";
import { MATCHER_LIMIT_MS } from "@/common/limits";

export type MatchResult =
  | { readonly matches: boolean }
  /** The matcher itself is at fault, so it matches nothing. */
  | { readonly matches: false; readonly problem: string };

/** Letters, digits, `_`, `-`, spaces, `,` and `|`: names in a list, compared exactly. */
const NAME_LIST = /^[A-Za-z0-9_\- ,|]*$/;

/** True where a matcher is an exact list rather than a regular expression. */
export function isNameList(matcher: string): boolean {
  return NAME_LIST.test(matcher);
}

/** An empty agent type meets match-all groups only. Never throws and never takes longer than 50 ms. */
export function matchAgentType(matcher: string | undefined, agentType: string): MatchResult {
  const wanted = matcher?.trim() ?? "";
  if (wanted === "" || wanted === "*") return { matches: true };
  if (agentType === "") return { matches: false };
  if (isNameList(wanted)) {
    const names = wanted.split(/[,|]/).map((name) => name.trim());
    return { matches: names.includes(agentType) };
  }
  return matchPattern(wanted, agentType);
}

/** A pattern that backtracks without end can only be stopped from outside, which `vm` can do. */
function matchPattern(pattern: string, subject: string): MatchResult {
  try {
    const found: unknown = runInNewContext(
      "new RegExp(pattern).test(subject)",
      { pattern, subject },
      { timeout: MATCHER_LIMIT_MS }
    );
    return { matches: found === true };
  } catch (thrown) {
    const slow = errorCode(thrown) === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    const problem = slow
      ? `the matcher "${pattern}" took longer than ${MATCHER_LIMIT_MS} ms on agent type "${subject}" and matches nothing; simplify it`
      : `the matcher "${pattern}" does not compile: ${describeError(thrown)}`;
    return { matches: false, problem };
  }
}
