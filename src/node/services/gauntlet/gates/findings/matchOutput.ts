/** Matches the output of a check with the matchers of its formats (G37). */
import { runInNewContext } from "node:vm";
import { errorCode } from "@/common/errors";
import {
  OUTPUT_FORMATS,
  type Matcher,
  type OutputFormat,
} from "@/node/services/gauntlet/domain/finding";
import { BUILTIN_MATCHERS } from "@/node/services/gauntlet/gates/findings/builtinMatchers";
import { goTestFailures } from "@/node/services/gauntlet/gates/findings/goTest";
import { pytestFailures } from "@/node/services/gauntlet/gates/findings/pytestSummary";
import type { ParsedReport, RawFinding } from "@/node/services/gauntlet/gates/findings/rawFinding";
import { compileMatcher, runMatcher } from "@/node/services/gauntlet/gates/findings/runMatcher";
import { patternTooSlow } from "@/node/services/gauntlet/messages/findings";

/** Maximum time for all patterns of a project on the output of one check. */
const PATTERNS_LIMIT_MS = 250;

/** Returns the problems that the built-in patterns of a format match. */
export function matchFormat(format: OutputFormat, lines: readonly string[]): RawFinding[] {
  if (format === "pytest") return pytestFailures(lines);
  const found: RawFinding[] = [];
  for (const matcher of BUILTIN_MATCHERS[format]) runMatcher(compileMatcher(matcher), lines, found);
  if (format === "go") found.push(...goTestFailures(lines));
  return found;
}

export function matchAllFormats(lines: readonly string[]): RawFinding[] {
  return OUTPUT_FORMATS.flatMap((format) => matchFormat(format, lines));
}

/**
 * Runs the patterns of a project in a `vm`, which can interrupt an expression that backtracks endlessly. What was
 * found until then is kept.
 */
export function matchForeign(
  matchers: readonly Matcher[],
  lines: readonly string[],
  limitMs = PATTERNS_LIMIT_MS
): ParsedReport {
  const found: RawFinding[] = [];
  const run = (): void => {
    for (const matcher of matchers) runMatcher(compileMatcher(matcher), lines, found);
  };
  try {
    runInNewContext("run()", { run }, { timeout: limitMs });
    return { found };
  } catch (thrown) {
    if (errorCode(thrown) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
    return { found: [...found], problem: patternTooSlow(limitMs) };
  }
}
