/** The readers of each format of output (G37). A new format is one entry here, and one in `OUTPUT_FORMATS`. */
import type { Matcher, OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import { BUILTIN_MATCHERS } from "@/node/services/gauntlet/gates/findings/formats/builtinMatchers";
import { GoTestReader } from "@/node/services/gauntlet/gates/findings/formats/goTest";
import { PytestReader } from "@/node/services/gauntlet/gates/findings/formats/pytestSummary";
import type { LineReader } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { compileMatcher, MatcherRun } from "@/node/services/gauntlet/gates/findings/runMatcher";

/** Returns new readers for one output. */
type MakeReaders = () => LineReader[];

export const OUTPUT_READERS: Readonly<Record<OutputFormat, MakeReaders>> = {
  tsc: () => runs(BUILTIN_MATCHERS.tsc),
  "eslint-stylish": () => runs(BUILTIN_MATCHERS["eslint-stylish"]),
  "eslint-unix": () => runs(BUILTIN_MATCHERS["eslint-unix"]),
  go: () => [...runs(BUILTIN_MATCHERS.go), new GoTestReader()],
  rustc: () => runs(BUILTIN_MATCHERS.rustc),
  pytest: () => [new PytestReader()],
};

function runs(matchers: readonly Matcher[]): LineReader[] {
  return matchers.map((one) => new MatcherRun(compileMatcher(one)));
}
