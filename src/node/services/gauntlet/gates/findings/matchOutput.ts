/**
 * Finds problems and tests in the output of a check: with the readers of known tools, which are listed here by format,
 * or with patterns of the project, which are interrupted at a time limit (G37).
 */
import { createContext, Script, type Context } from "node:vm";
import { errorCode } from "@/common/errors";
import * as findings from "@/node/services/gauntlet/domain/findings/finding";
import type { OutputChunks } from "@/node/services/gauntlet/gates/findings/outputLines";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import * as matching from "@/node/services/gauntlet/gates/findings/MatcherRun";
import * as goAndRust from "@/node/services/gauntlet/gates/findings/formats/goAndCargoTests";
import { AvaReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/ava";
import * as jestAndMocha from "@/node/services/gauntlet/gates/findings/formats/javascript/jestAndMocha";
import * as nodeAndBun from "@/node/services/gauntlet/gates/findings/formats/javascript/nodeAndBun";
import * as vitestAndPlaywright from "@/node/services/gauntlet/gates/findings/formats/javascript/vitestAndPlaywright";
import * as jvmDotnetTests from "@/node/services/gauntlet/gates/findings/formats/jvmAndDotnetTests";
import * as linters from "@/node/services/gauntlet/gates/findings/formats/compilersAndLinters";
import { PytestReader } from "@/node/services/gauntlet/gates/findings/formats/pytest";
import * as rubyAndPhpTests from "@/node/services/gauntlet/gates/findings/formats/rubyAndPhpTests";

/** Maximum time for all patterns of a project on the output of one check. */
const PATTERNS_LIMIT_MS = 250;

/** The findings and tests of one tool in an output or a report. */
export interface ToolOutput extends reader.ParsedReport {
  readonly tool: string;
}

/** Reads an output once for all these formats. Returns those that found anything. */
export function readTools(
  formats: readonly findings.OutputFormat[],
  output: OutputChunks
): readonly ToolOutput[] {
  const tools = formats.map((tool) => ({ tool, readers: OUTPUT_READERS[tool]() }));
  const readers = tools.flatMap((one) => one.readers);
  for (const lines of output) {
    for (const line of lines) for (const one of readers) one.read(line);
  }
  return tools.flatMap(({ tool, readers: own }) => {
    const found = own.flatMap(({ all }) => all);
    const runs = own.flatMap(({ tally }) => tally?.run ?? []);
    if (found.length === 0 && runs.length === 0) return [];
    const names = runs.flatMap((run) => run.names);
    const tests = runs.length === 0 ? undefined : { ...reader.addUp(runs), names };
    return [{ tool, found, tests, hasMore: own.some(({ hasMore }) => hasMore === true) }];
  });
}

/** Returns the findings of all known tools in an output. */
export function matchAllFormats(output: OutputChunks): reader.RawFinding[] {
  return readTools(findings.OUTPUT_FORMATS, output).flatMap(({ found }) => found);
}

/**
 * Runs the patterns of a project in a `vm`, which can interrupt an expression that backtracks endlessly. The
 * findings until then are kept.
 */
export function matchProjectPatterns(
  matchers: readonly findings.Matcher[],
  output: OutputChunks,
  limitMs = PATTERNS_LIMIT_MS
): reader.ParsedReport {
  const runs = matchers.map((matcher) => new matching.MatcherRun(matching.compileMatcher(matcher)));
  let part: readonly string[] = [];
  const readPart = (): void => {
    for (const line of part) for (const run of runs) run.read(line);
  };
  const context = createContext({ readPart });
  const script = new Script("readPart()");
  let leftMs = limitMs;
  let problem: string | undefined;
  for (part of output) {
    const start = performance.now();
    if (!endsWithin(script, context, leftMs)) {
      problem = `the patterns of "findings" took longer than ${limitMs} ms, so the rest of the output was not matched`;
      break;
    }
    leftMs -= performance.now() - start;
  }
  return { found: runs.flatMap(({ all }) => all), problem, hasMore: problem !== undefined };
}

/** Runs a script, and returns whether it ended before the limit. */
function endsWithin(script: Script, context: Context, limitMs: number): boolean {
  const timeout = Math.floor(limitMs);
  if (timeout < 1) return false;
  try {
    script.runInContext(context, { timeout });
    return true;
  } catch (thrown) {
    if (errorCode(thrown) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
    return false;
  }
}

/** Returns new readers for one output. */
type MakeReaders = () => reader.LineReader[];

export const OUTPUT_READERS: Readonly<Record<findings.OutputFormat, MakeReaders>> = {
  tsc: () => readersOf("tsc"),
  "eslint-stylish": () => readersOf("eslint-stylish"),
  "eslint-unix": () => readersOf("eslint-unix"),
  "eslint-pretty": () => readersOf("eslint-pretty"),
  biome: () => readersOf("biome"),
  oxlint: () => readersOf("oxlint"),
  ruff: () => readersOf("ruff"),
  prettier: () => [new linters.PrettierReader()],
  mypy: () => [new linters.MypyReader()],
  pyright: () => [new linters.PyrightReader()],
  go: () => [...readersOf("go"), new goAndRust.GoTestReader()],
  rustc: () => [...readersOf("rustc"), new goAndRust.CargoTestReader()],
  pytest: () => [new PytestReader()],
  minitest: () => [new rubyAndPhpTests.MinitestReader()],
  rspec: () => [new rubyAndPhpTests.RspecReader()],
  phpunit: () => [new rubyAndPhpTests.PhpunitReader()],
  surefire: () => [...readersOf("surefire", true), new jvmDotnetTests.SurefireReader()],
  gradle: () => [...readersOf("gradle"), new jvmDotnetTests.GradleReader()],
  dotnet: () => [...readersOf("dotnet", true), new jvmDotnetTests.DotnetReader()],
  jest: () => [new jestAndMocha.JestReader()],
  vitest: () => [new vitestAndPlaywright.VitestReader()],
  ava: () => [new AvaReader()],
  mocha: () => [new jestAndMocha.MochaReader()],
  "node-test": () => [new nodeAndBun.NodeTapReader(), new nodeAndBun.NodeSpecReader()],
  "bun-test": () => [new nodeAndBun.BunTestReader()],
  playwright: () => [...readersOf("playwright"), new vitestAndPlaywright.PlaywrightReader()],
};

/** @param isRepeated whether the tool prints its problems again at its end */
function readersOf(format: keyof typeof linters.MATCHERS, isRepeated = false): reader.LineReader[] {
  const matchers: readonly matching.BuiltinMatcher[] = linters.MATCHERS[format];
  return matchers.map((one) => new matching.MatcherRun(matching.compileBuiltin(one), isRepeated));
}
