/** Finds the failures of RSpec and PHPUnit, which number them below a heading. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  testName,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testTally";

const MAX_MESSAGE_LINES = 6;

interface Item {
  readonly name: string;
  readonly isTest: boolean;
  readonly file?: string;
  /** Whether the message has begun, and whether it has ended. */
  state: "before" | "message" | "after";
  readonly message: string[];
  place: Pick<RawFinding, "file" | "line">;
}

const RSPEC_ITEM = /^ {2}\d+\) (\S.*)$/;
/** One of several failures of a test: `     1.2) Failure/Error: …`. */
const RSPEC_PART = /^ {5,}\d+\.\d+\) (\S.*)$/;
const RSPEC_OUTSIDE = /^An error occurred (?:while loading (\S+?)\.?|in an? .*)$/;
const RSPEC_FRAME = /^ *# (\S[^:]*):(\d+)(?::in .*)?$/;
const RSPEC_END = /^(?:Finished in \d|Failed examples:$|No examples found\.$)/;
const RSPEC_COUNTS =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, \d+ errors? occurred outside of examples)?$/;
/** At the end of an example of the format "documentation". */
const RSPEC_OUTCOME = / \((?:FAILED - \d+|PENDING: .*)\)$/;
const MAX_TREE_LINES = 5_000;
const MAX_TREE_CHARS = 300;

export class RspecReader implements LineReader {
  readonly all: RawFinding[] = [];
  readonly tally = new TestTally();
  #list: "none" | "pending" | "failures" = "none";
  #item: Item | undefined;
  /** The lines before the lists: the examples of the format "documentation", among others. */
  #tree: string[] = [];

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    if (line === "Failures:") this.#enter("failures");
    else if (line.startsWith("Pending: (Failures listed here")) this.#enter("pending");
    else if (RSPEC_END.test(line)) this.#enter("none");
    const [isOutside, loaded] = RSPEC_OUTSIDE.exec(line) ?? [];
    const name = this.#list === "failures" ? RSPEC_ITEM.exec(line)?.[1] : undefined;
    const part = this.#item?.isTest === true ? RSPEC_PART.exec(line)?.[1] : undefined;
    if (isOutside !== undefined) this.#start("", loaded);
    else if (name !== undefined) this.#start(name);
    else if (part !== undefined) this.#startPart();
    else if (this.#item !== undefined) readRspec(line, this.#item);
    else if (this.#list === "none") this.#readTree(line);
    this.#readCounts(line);
  }

  #enter(list: "none" | "pending" | "failures"): void {
    this.#endItem();
    this.#list = list;
  }

  #start(name: string, file?: string): void {
    this.#endItem();
    this.#item = { name, isTest: name !== "", file, state: "before", message: [], place: {} };
  }

  /** Replaces the first item of a test with several failures, whose message is only their number. */
  #startPart(): void {
    const { name = "", message = [] } = this.#item ?? {};
    if (message[0]?.startsWith("Got ") === true) this.#item = undefined;
    this.#start(name);
  }

  #endItem(): void {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return;
    const message = item.message.join(" ");
    const inMessage = /:(\d+): syntax error/.exec(message)?.[1];
    const ofFile = { file: item.file, line: positionOf(inMessage) };
    const place = item.place.file === undefined ? ofFile : item.place;
    const name = item.isTest ? { rule: item.name, test: item.name } : {};
    this.all.push({ ...place, severity: "error", ...name, message: message || "failed" });
    if (item.isTest) this.tally.fail(item.name);
  }

  #readCounts(line: string): void {
    const [, examples, failures, pending] = RSPEC_COUNTS.exec(line) ?? [];
    if (examples === undefined) return;
    const [all, failed, skipped] = [Number(examples), Number(failures), Number(pending ?? 0)];
    for (const test of documented(this.#tree, all)) this.tally.pass({ test });
    this.tally.sum({ passed: all - failed - skipped, failed, skipped });
    this.#tree = [];
  }

  #readTree(line: string): void {
    if (line === "" || this.#tree.length >= MAX_TREE_LINES) return;
    this.#tree.push(line.slice(0, MAX_TREE_CHARS));
  }
}

function readRspec(line: string, item: Item): void {
  const [, file, at] = RSPEC_FRAME.exec(line) ?? [];
  if (file !== undefined) {
    const isOwn = file.startsWith("./") && item.place.file === undefined;
    if (isOwn) item.place = { file, line: positionOf(at) };
    item.state = "after";
    return;
  }
  const text = line.trim();
  if (item.state === "before") {
    if (/^Got \d+ failures/.test(text)) item.message.push(text);
    // The lines of code that failed end with an empty line.
    if (text === "") item.state = "message";
  } else if (item.state === "message") {
    if (text === "" && item.message.length > 0) item.state = "after";
    else if (text !== "" && item.message.length < MAX_MESSAGE_LINES) item.message.push(text);
  }
}

/**
 * Returns the examples that passed, or none if the lines are not exactly `count` examples in their groups: with another
 * format, or if the examples print something.
 */
function documented(tree: readonly string[], count: number): string[] {
  const groups: string[] = [];
  const passed: string[] = [];
  let found = 0;
  for (const [i, line] of tree.entries()) {
    const depth = depthOf(line);
    if (!Number.isInteger(depth)) return [];
    groups.length = Math.min(groups.length, depth);
    groups.push(line.trim());
    if (depth === 0 || depthOf(tree[i + 1] ?? "") > depth) continue;
    found++;
    if (!RSPEC_OUTCOME.test(line)) passed.push(describe(groups));
  }
  return found === count ? passed : [];
}

function depthOf(line: string): number {
  return (line.length - line.trimStart().length) / 2;
}

/** Joins the descriptions as RSpec does: the name of a method follows the name of its class without a space. */
function describe(parts: readonly string[]): string {
  return parts.reduce((all, part) => `${all}${/^(?:#|\.|::)/.test(part) ? "" : " "}${part}`);
}

const PHPUNIT_LIST = /^There (?:was|were) \d+ (?:PHPUnit )?(.*?)s?:$/;
/** PHPUnit 10 and later: the items are positions. */
const PHPUNIT_TRIGGERED = /^\d+ tests? triggered \d+ (?:PHP |PHPUnit )?(warning|.*?)s?:$/;
const PHPUNIT_ITEM = /^\d+\) (\S.*)$/;
const PHPUNIT_FRAME = /^((?:\/|[A-Za-z]:\\).*\.\w+):(\d+)$/;
const PHPUNIT_END = /^(?:--|OK .*|(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d.*)$/;
const PHPUNIT_OK = /^OK \((\d+) tests?, \d+ assertions?\)$/;
const PHPUNIT_COUNTS = /^Tests: (\d+), Assertions: \d+(|, .*)\.$/;
const PHP_ERROR = /^(?:PHP )?(?:Fatal|Parse) error: +(\S.*)$/;
const PHP_POSITION = /(?::| on line )(\d+)$/;

export class PhpunitReader implements LineReader {
  readonly all: RawFinding[] = [];
  readonly tally = new TestTally();
  #severity: RawFinding["severity"] | undefined;
  #isTriggered = false;
  #item: Item | undefined;
  /** PHPUnit 10 and later count the warnings of PHP, before it those of tests. */
  #version = 0;
  /** The last error of PHP, which can be on both streams. */
  #error = "";

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    this.#version = Number(/^PHPUnit (\d+)\./.exec(line)?.[1] ?? this.#version);
    const list = PHPUNIT_LIST.exec(line)?.[1];
    const triggered = PHPUNIT_TRIGGERED.exec(line)?.[1];
    if (list !== undefined || triggered !== undefined || PHPUNIT_END.test(line)) {
      this.#endItem();
      this.#severity = severityOfList(list ?? triggered ?? "");
      this.#isTriggered = triggered !== undefined;
    }
    const name = this.#severity === undefined ? undefined : PHPUNIT_ITEM.exec(line)?.[1];
    if (name !== undefined) {
      this.#endItem();
      this.#item = { name, isTest: name.includes("::"), state: "message", message: [], place: {} };
      const [, file, at] = this.#isTriggered ? (PHPUNIT_FRAME.exec(name) ?? []) : [];
      if (file !== undefined) this.#item.place = { file, line: positionOf(at) };
    } else if (this.#item !== undefined) {
      readPhpunit(line, this.#item);
    }
    this.#readError(line);
    this.#readCounts(line);
  }

  #endItem(): void {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined || this.#severity === undefined) return;
    const message = item.message.join(" ") || "failed";
    if (!item.isTest) {
      this.all.push({ ...item.place, severity: this.#severity, message });
      return;
    }
    // The values of a data set are not a part of its name.
    const [set = ""] = / with data set (?:#\d+|"[^"]*")/.exec(item.name) ?? [];
    const end = item.name.indexOf(" with data set ");
    const rule = `${end === -1 ? item.name : item.name.slice(0, end)}${set}`;
    const test = testName(rule.split("::"));
    if (this.#severity === "error") this.tally.fail(test);
    this.all.push({ ...item.place, severity: this.#severity, rule, test, message });
  }

  #readError(line: string): void {
    const text = PHP_ERROR.exec(line)?.[1] ?? "";
    const position = PHP_POSITION.exec(text);
    const before = text.slice(0, position?.index ?? 0);
    const at = before.lastIndexOf(" in ");
    if (at === -1 || text === this.#error) return;
    this.#error = text;
    const place = { file: before.slice(at + " in ".length), line: positionOf(position?.[1]) };
    this.all.push({ ...place, severity: "error", message: text.slice(0, at) });
  }

  #readCounts(line: string): void {
    const ok = PHPUNIT_OK.exec(line)?.[1];
    if (ok !== undefined) this.tally.sum({ passed: Number(ok) });
    else if (line === "No tests executed!") this.tally.sum({});
    const [, tests, text = ""] = PHPUNIT_COUNTS.exec(line) ?? [];
    if (tests === undefined) return;
    const counts = new Map<string, number>();
    for (const part of text.split(", ")) {
      const [name = "", count = "0"] = part.split(": ");
      counts.set(name, Number(count));
    }
    const sum = (...names: string[]) => names.reduce((all, one) => all + (counts.get(one) ?? 0), 0);
    const failed = sum("Errors", "Failures") + (this.#version < 10 ? sum("Warnings") : 0);
    const skipped = sum("Skipped", "Incomplete");
    this.tally.sum({ passed: Number(tests) - failed - skipped, failed, skipped });
  }
}

/** Returns undefined for a list whose items are not problems, such as that of skipped tests. */
function severityOfList(name: string): RawFinding["severity"] | undefined {
  if (name === "error" || name === "failure") return "error";
  return /^(?:risky test|(?:test runner )?warning)$/.test(name) ? "warning" : undefined;
}

function readPhpunit(line: string, item: Item): void {
  const [, file, at] = PHPUNIT_FRAME.exec(line) ?? [];
  if (file !== undefined && !/[\\/]vendor[\\/]/.test(file)) {
    if (item.place.file === undefined) item.place = { file, line: positionOf(at) };
  } else if (item.state === "message") {
    const isDifference = line === "" || line.startsWith("--- ");
    if (isDifference && item.message.length > 0) item.state = "after";
    else if (!isDifference && item.message.length < MAX_MESSAGE_LINES) item.message.push(line);
  }
}
