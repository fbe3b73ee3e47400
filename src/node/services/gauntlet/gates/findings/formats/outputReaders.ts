/** The readers of each format of output (G37). A new format is one entry here, and one in `OUTPUT_FORMATS`. */
import type { Matcher, OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import { BUILTIN_MATCHERS } from "@/node/services/gauntlet/gates/findings/formats/builtinMatchers";
import { CargoTestReader } from "@/node/services/gauntlet/gates/findings/formats/cargoTest";
import { DotnetReader } from "@/node/services/gauntlet/gates/findings/formats/dotnetTest";
import { GoTestReader } from "@/node/services/gauntlet/gates/findings/formats/goTest";
import {
  GradleReader,
  SurefireReader,
} from "@/node/services/gauntlet/gates/findings/formats/jvmTests";
import { AvaReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/ava";
import { BunTestReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/bunTest";
import { JestReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/jest";
import {
  BIOME,
  OXLINT,
  PrettierReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/linters";
import { MochaReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/mocha";
import {
  NodeSpecReader,
  NodeTapReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/nodeTest";
import {
  PLAYWRIGHT_ERRORS,
  PlaywrightReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/playwright";
import { VitestReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/vitest";
import { MinitestReader } from "@/node/services/gauntlet/gates/findings/formats/minitest";
import { PytestReader } from "@/node/services/gauntlet/gates/findings/formats/pytestSummary";
import {
  MypyReader,
  PyrightReader,
} from "@/node/services/gauntlet/gates/findings/formats/pythonTypes";
import type { LineReader } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import {
  PhpunitReader,
  RspecReader,
} from "@/node/services/gauntlet/gates/findings/formats/rubyAndPhpTests";
import { compileMatcher, MatcherRun } from "@/node/services/gauntlet/gates/findings/runMatcher";

/** Returns new readers for one output. */
type MakeReaders = () => LineReader[];

export const OUTPUT_READERS: Readonly<Record<OutputFormat, MakeReaders>> = {
  tsc: () => runs(BUILTIN_MATCHERS.tsc),
  "eslint-stylish": () => runs(BUILTIN_MATCHERS["eslint-stylish"]),
  "eslint-unix": () => runs(BUILTIN_MATCHERS["eslint-unix"]),
  "eslint-pretty": () => runs(BUILTIN_MATCHERS["eslint-pretty"]),
  go: () => [...runs(BUILTIN_MATCHERS.go), new GoTestReader()],
  rustc: () => [...runs(BUILTIN_MATCHERS.rustc), new CargoTestReader()],
  pytest: () => [new PytestReader()],
  ruff: () => runs(BUILTIN_MATCHERS.ruff),
  mypy: () => [new MypyReader()],
  pyright: () => [new PyrightReader()],
  minitest: () => [new MinitestReader()],
  rspec: () => [new RspecReader()],
  phpunit: () => [new PhpunitReader()],
  surefire: () => [new SurefireReader()],
  gradle: () => [...runs(BUILTIN_MATCHERS.gradle), new GradleReader()],
  dotnet: () => [new DotnetReader()],
  jest: () => [new JestReader()],
  vitest: () => [new VitestReader()],
  ava: () => [new AvaReader()],
  mocha: () => [new MochaReader()],
  "node-test": () => [new NodeTapReader(), new NodeSpecReader()],
  "bun-test": () => [new BunTestReader()],
  playwright: () => [...runs(PLAYWRIGHT_ERRORS), new PlaywrightReader()],
  biome: () => runs(BIOME),
  oxlint: () => runs(OXLINT),
  prettier: () => [new PrettierReader()],
};

function runs(matchers: readonly Matcher[]): LineReader[] {
  return matchers.map((one) => new MatcherRun(compileMatcher(one)));
}
