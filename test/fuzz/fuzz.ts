/** Runs parsers on random and growing inputs, and saves inputs that reveal a problem. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "@/common/hash";
import { measureGrowth, MAX_RATIO, type Growth } from "@test/fuzz/growth";
import type { FuzzedParser } from "@test/fuzz/parsers";
import { InputGenerator } from "@test/fuzz/random";

const CORPUS = fileURLToPath(new URL("../../fixtures/fuzz", import.meta.url));
/** A small input that takes longer is reported. */
const MAX_INPUT_MS = 250;
const ATTEMPTS = 4;

export interface Find {
  readonly input: string;
  readonly problem: string;
}

/** Returns the seeds and earlier finds of a parser, in the order of their names. */
function readCorpus({ name }: FuzzedParser): string[] {
  const folder = corpusFolder(name);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"));
}

/** Saves an input, so that every later run begins with it. */
export function keepFind(parser: FuzzedParser, { input }: Find): string {
  const folder = corpusFolder(parser.name);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `find-${sha256(input, 12)}`);
  writeFileSync(path, input);
  return path;
}

/** Runs a parser on its corpus, then on up to `count` random inputs until there are ten finds. Returns the finds. */
export function fuzz(parser: FuzzedParser, count: number, seed: number): Find[] {
  const corpus = readCorpus(parser);
  const generator = new InputGenerator(seed, parser.tokens, corpus);
  const finds: Find[] = [];
  const check = (input: string): void => {
    const problem = findProblem(parser, input);
    if (problem !== undefined) finds.push({ input, problem });
  };
  corpus.forEach(check);
  for (let i = 0; i < count && finds.length < 10; i++) check(generator.make());
  return finds;
}

function findProblem({ read }: FuzzedParser, input: string): string | undefined {
  let ms = Infinity;
  // Garbage collection can take longer than the parser, so a slow input is read again.
  for (let attempt = 0; attempt < ATTEMPTS && ms > MAX_INPUT_MS; attempt++) {
    const { user: before } = process.cpuUsage();
    try {
      read(input);
    } catch (thrown) {
      return String(thrown);
    }
    ms = Math.min(ms, (process.cpuUsage().user - before) / 1000);
  }
  return ms > MAX_INPUT_MS ? `it took ${ms} ms of CPU` : undefined;
}

export interface Production {
  readonly unit: string;
  readonly frame: readonly [string, string];
}

/** Lists every token in every frame. */
export function productionsOf({ tokens, frames }: FuzzedParser): Production[] {
  return [...new Set(tokens)].flatMap((unit) => frames.map((frame) => ({ unit, frame })));
}

/** Lists every two tokens in a row, in every frame. */
export function pairsOf({ tokens, frames }: FuzzedParser): Production[] {
  const units = tokens.flatMap((a) => tokens.map((b) => a + b));
  return [...new Set(units)].flatMap((unit) => frames.map((frame) => ({ unit, frame })));
}

export interface MeasuredProduction extends Production {
  readonly growth: Growth;
}

export function measureProduction(
  { read, floor, maxChars }: FuzzedParser,
  { unit, frame: [before, after] }: Production,
  limitChars = Infinity
): Growth {
  const framed = (parse: (text: string) => void) => (repeated: string) => {
    parse(`${before}${repeated}${after}`);
  };
  const chars = Math.min(maxChars, limitChars);
  return measureGrowth(unit, chars, framed(read), floor && framed(floor));
}

export function isTooSteep({ growth }: MeasuredProduction): boolean {
  return growth.ratio >= MAX_RATIO;
}

function corpusFolder(name: string): string {
  return join(CORPUS, name.replaceAll(" ", "-"));
}
