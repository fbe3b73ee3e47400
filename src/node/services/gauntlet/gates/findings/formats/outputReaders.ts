/** The readers of each format of output (G37). A new format is one entry here, and one in `OUTPUT_FORMATS`. */
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import { CargoTestReader } from "@/node/services/gauntlet/gates/findings/formats/cargoTest";
import { GoTestReader } from "@/node/services/gauntlet/gates/findings/formats/goTest";
import { AvaReader } from "@/node/services/gauntlet/gates/findings/formats/javascript/ava";
import {
  JestReader,
  MochaReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/jestAndMocha";
import {
  BunTestReader,
  NodeSpecReader,
  NodeTapReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/nodeAndBun";
import {
  PlaywrightReader,
  VitestReader,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/vitestAndPlaywright";
import {
  DotnetReader,
  GradleReader,
  SurefireReader,
} from "@/node/services/gauntlet/gates/findings/formats/jvmAndDotnet";
import {
  MATCHERS,
  MypyReader,
  PrettierReader,
  PyrightReader,
} from "@/node/services/gauntlet/gates/findings/formats/linters";
import { PytestReader } from "@/node/services/gauntlet/gates/findings/formats/pytest";
import type { LineReader } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import {
  MinitestReader,
  PhpunitReader,
  RspecReader,
} from "@/node/services/gauntlet/gates/findings/formats/rubyAndPhp";
import {
  compileBuiltin,
  MatcherRun,
  type BuiltinMatcher,
} from "@/node/services/gauntlet/gates/findings/runMatcher";

/** Returns new readers for one output. */
type MakeReaders = () => LineReader[];

export const OUTPUT_READERS: Readonly<Record<OutputFormat, MakeReaders>> = {
  tsc: () => runs("tsc"),
  "eslint-stylish": () => runs("eslint-stylish"),
  "eslint-unix": () => runs("eslint-unix"),
  "eslint-pretty": () => runs("eslint-pretty"),
  biome: () => runs("biome"),
  oxlint: () => runs("oxlint"),
  ruff: () => runs("ruff"),
  prettier: () => [new PrettierReader()],
  mypy: () => [new MypyReader()],
  pyright: () => [new PyrightReader()],
  go: () => [...runs("go"), new GoTestReader()],
  rustc: () => [...runs("rustc"), new CargoTestReader()],
  pytest: () => [new PytestReader()],
  minitest: () => [new MinitestReader()],
  rspec: () => [new RspecReader()],
  phpunit: () => [new PhpunitReader()],
  surefire: () => [...runs("surefire", true), new SurefireReader()],
  gradle: () => [...runs("gradle"), new GradleReader()],
  dotnet: () => [...runs("dotnet", true), new DotnetReader()],
  jest: () => [new JestReader()],
  vitest: () => [new VitestReader()],
  ava: () => [new AvaReader()],
  mocha: () => [new MochaReader()],
  "node-test": () => [new NodeTapReader(), new NodeSpecReader()],
  "bun-test": () => [new BunTestReader()],
  playwright: () => [...runs("playwright"), new PlaywrightReader()],
};

function runs(format: keyof typeof MATCHERS, isRepeated = false): LineReader[] {
  const matchers: readonly BuiltinMatcher[] = MATCHERS[format];
  return matchers.map((one) => new MatcherRun(compileBuiltin(one), isRepeated));
}
