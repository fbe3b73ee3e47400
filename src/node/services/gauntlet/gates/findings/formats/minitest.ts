/** Finds the failures of Minitest, which numbers them below the dots, and the tests that its verbose form names. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  testName,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testTally";

const ITEM = /^ {0,2}\d+\) (Failure|Error|Skipped):$/;
const HEADING = /^(\S[^#]*)#(\S.*?)(?: \[([^\]:]+):(\d+)\])?:$/;
const VERBOSE = /^(\S[^#]*)#(\S.*) = \d+\.\d+ s = ([.FES])$/;
const FRAME = /^ {4}(\S[^:]*):(\d+):in /;
const FOREIGN = /(?:^|\/)(?:gems|rubygems|lib\/ruby)\//;
const COUNTS =
  /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) (?:skips|pendings)\b/;
const MAX_MESSAGE_LINES = 6;

interface Item {
  readonly name: string;
  place: Pick<RawFinding, "file" | "line">;
  readonly message: string[];
}

export class MinitestReader implements LineReader {
  readonly all: RawFinding[] = [];
  readonly tally = new TestTally();
  #kind: string | undefined;
  #item: Item | undefined;

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    const kind = ITEM.exec(line)?.[1];
    const [, runs, failures, errors, skips] = COUNTS.exec(line) ?? [];
    if (kind !== undefined || runs !== undefined) this.#end();
    if (kind !== undefined) this.#kind = kind;
    else if (runs !== undefined) {
      const [all, skipped] = [Number(runs), Number(skips)];
      const failed = Number(failures) + Number(errors);
      this.tally.sum({ passed: all - failed - skipped, failed, skipped });
    } else if (this.#kind !== undefined) this.#begin(line);
    else if (this.#item !== undefined) readItem(line, this.#item);
    else this.#readVerbose(line);
  }

  #begin(line: string): void {
    const [, suite, test, file, at] = HEADING.exec(line) ?? [];
    if (suite !== undefined && test !== undefined && this.#kind !== "Skipped") {
      const place = file === undefined ? {} : { file, line: positionOf(at) };
      this.#item = { name: nameOf(suite, test), place, message: [] };
    }
    this.#kind = undefined;
  }

  #end(): void {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return;
    const { name, place, message } = item;
    const text = message.join(" ");
    this.all.push({
      ...place,
      severity: "error",
      rule: name,
      test: name,
      message: text === "" ? "failed" : text,
    });
    this.tally.fail(name);
  }

  #readVerbose(line: string): void {
    const [, suite, test, outcome] = VERBOSE.exec(line) ?? [];
    if (suite === undefined || test === undefined) return;
    if (outcome === ".") this.tally.pass({ test: nameOf(suite, test) });
  }
}

function readItem(line: string, item: Item): void {
  const [, file = "", at] = FRAME.exec(line) ?? [];
  if (file !== "") {
    if (item.place.file === undefined && !FOREIGN.test(file)) {
      item.place = { file, line: positionOf(at) };
    }
  } else if (line.trim() !== "" && item.message.length < MAX_MESSAGE_LINES) {
    item.message.push(line.trim());
  }
}

/** The number of a test of the form `it` depends on the tests above it. */
function nameOf(suite: string, test: string): string {
  return testName([...suite.split("::"), test.replace(/^test_\d{4}_/, "")]);
}
