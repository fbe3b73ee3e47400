/**
 * Finds the failures and the numbers of tests in the output of RSpec, Minitest and PHPUnit, the tests that passed in
 * that of the first two, and fatal errors of PHP.
 */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const RSPEC_ITEM = /^ {2}\d+\) (\S.*)$/;
/** One of several failures of a test: `     1.2) Failure/Error: …`. */
const RSPEC_PART = /^ {5,}\d+\.\d+\) \S/;
const RSPEC_OUTSIDE = /^An error occurred (?:while loading (\S+?)\.?|in an? .*)$/;
const RSPEC_FRAME = /^ *# (\S[^:]*):(\d+)(?::in .*)?$/;
const RSPEC_END = /^(?:Finished in \d|Failed examples:$|No examples found\.$)/;
const RSPEC_COUNTS =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, \d+ errors? occurred outside of examples)?$/;
/** At the end of an example of the format "documentation". */
const RSPEC_OUTCOME = / \((?:FAILED - \d+|PENDING: .*)\)$/;
const MAX_TREE_LINES = 5_000;
const MAX_TREE_CHARS = 300;

export class RspecReader extends reader.TestReader {
  #list: "none" | "pending" | "failures" = "none";
  /** The file that could not be loaded. */
  #loaded: string | undefined;
  /** The lines before the lists: the examples of the format "documentation", among others. */
  #tree: string[] = [];

  protected readLine(line: string): void {
    if (line === "Failures:") this.#enter("failures");
    else if (line.startsWith("Pending: (Failures listed here")) this.#enter("pending");
    else if (RSPEC_END.test(line)) this.#enter("none");
    const [isOutside, loaded] = RSPEC_OUTSIDE.exec(line) ?? [];
    const name = this.#list === "failures" ? RSPEC_ITEM.exec(line)?.[1] : undefined;
    const { test, message = [] } = this.failure ?? {};
    if (isOutside !== undefined) {
      this.begin({ part: "before" });
      this.#loaded = loaded;
    } else if (name !== undefined) this.begin({ rule: name, test: name, part: "before" });
    else if (test !== undefined && RSPEC_PART.test(line)) {
      // The message of a test with several failures is only their number.
      if (message[0]?.startsWith("Got ") === true) this.failure = undefined;
      this.begin({ rule: test, test, part: "before" });
    } else if (this.failure !== undefined) readRspec(line, this.failure);
    else if (this.#list === "none" && line !== "" && this.#tree.length < MAX_TREE_LINES) {
      this.#tree.push(line.slice(0, MAX_TREE_CHARS));
    }
    const [, examples, failures, pending] = RSPEC_COUNTS.exec(line) ?? [];
    if (examples === undefined) return;
    for (const one of passedExamples(this.#tree, Number(examples))) this.tally.pass({ test: one });
    this.sum(examples, Number(failures), pending);
    this.#tree = [];
  }

  #enter(list: "none" | "pending" | "failures"): void {
    this.end();
    this.#list = list;
  }

  protected override toFinding(failure: reader.OpenFailure): reader.RawFinding {
    const finding = super.toFinding(failure);
    if (finding.file !== undefined) return finding;
    const file = failure.test === undefined ? this.#loaded : undefined;
    const line = /:(\d+): syntax error/.exec(finding.message)?.[1];
    return { ...finding, ...reader.placeAt(file, line) };
  }
}

function readRspec(line: string, failure: reader.OpenFailure): void {
  const [, file, at] = RSPEC_FRAME.exec(line) ?? [];
  if (file !== undefined) {
    if (file.startsWith("./")) reader.setPlace(failure, file, at);
    failure.part = "after";
    return;
  }
  const text = line.trim();
  if (failure.part === "before") {
    if (/^Got \d+ failures/.test(text)) failure.message.push(text);
    // The lines of code that failed end with an empty line.
    if (text === "") failure.part = "message";
  } else if (failure.part === "message") {
    if (text === "" && failure.message.length > 0) failure.part = "after";
    else reader.addLine(failure, text);
  }
}

/**
 * Returns the examples that passed, or none if the lines are not exactly `count` examples in their groups: with another
 * format, or if the examples print something.
 */
function passedExamples(tree: readonly string[], count: number): string[] {
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

const MINITEST_ITEM = /^ {0,2}\d+\) (Failure|Error|Skipped):$/;
const MINITEST_HEADING = /^(\S[^#]*)#(\S.*?)(?: \[([^\]:]+):(\d+)\])?:$/;
const MINITEST_PASSED = /^(\S[^#]*)#(\S.*) = \d+\.\d+ s = \.$/;
const MINITEST_FRAME = /^ {4}(\S[^:]*):(\d+):in /;
const FOREIGN_GEM = /(?:^|\/)(?:gems|rubygems|lib\/ruby)\//;
const MINITEST_COUNTS =
  /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) (?:skips|pendings)\b/;

export class MinitestReader extends reader.TestReader {
  /** The kind of the item whose heading is next. */
  #kind: string | undefined;

  protected readLine(line: string): void {
    const kind = MINITEST_ITEM.exec(line)?.[1];
    const [, runs, failures, errors, skips] = MINITEST_COUNTS.exec(line) ?? [];
    if (kind !== undefined || runs !== undefined) this.end();
    if (kind !== undefined) this.#kind = kind;
    else if (runs !== undefined) this.sum(runs, Number(failures) + Number(errors), skips);
    else if (this.#kind !== undefined) this.#begin(line);
    else if (this.failure !== undefined) readMinitest(line, this.failure);
    else {
      const [, suite, test] = MINITEST_PASSED.exec(line) ?? [];
      if (test !== undefined) this.tally.pass({ test: minitestName(test, suite) });
    }
  }

  #begin(line: string): void {
    const [, suite, name, file, at] = MINITEST_HEADING.exec(line) ?? [];
    if (name !== undefined && this.#kind !== "Skipped") {
      const test = minitestName(name, suite);
      this.begin({ rule: test, test, place: reader.placeAt(file, at) });
    }
    this.#kind = undefined;
  }
}

function readMinitest(line: string, failure: reader.OpenFailure): void {
  const [, file, at] = MINITEST_FRAME.exec(line) ?? [];
  if (file === undefined) reader.addLine(failure, line);
  else if (!FOREIGN_GEM.test(file)) reader.setPlace(failure, file, at);
}

/** Returns the name of a test, without the number of one of the form `it`, which depends on the tests above it. */
function minitestName(test: string, suite = ""): string {
  return reader.testName([...suite.split("::"), test.replace(/^test_\d{4}_/, "")]);
}

const PHPUNIT_LIST = /^There (?:was|were) \d+ (?:PHPUnit )?(.*?)s?:$/;
/** PHPUnit 10 and later: the items are positions. */
const PHPUNIT_TRIGGERED = /^\d+ tests? triggered \d+ (?:PHP |PHPUnit )?(warning|.*?)s?:$/;
const PHPUNIT_ITEM = /^\d+\) (\S.*)$/;
const PHPUNIT_FRAME = /^((?:\/|[A-Za-z]:\\).*\.\w+):(\d+)$/;
/** Ends the lists. Messages are not indented either, so a line such as `OK` or `--` may be one of them. */
const PHPUNIT_END =
  /^(?:OK(?:, but | \(\d+ test)|(?:FAILURES|ERRORS|WARNINGS)!$|Tests: \d+, Assertions: )/;
const PHPUNIT_OK = /^OK \((\d+) tests?, \d+ assertions?\)$/;
const PHPUNIT_COUNTS = /^Tests: (\d+), Assertions: \d+(|, .*)\.$/;
const PHP_ERROR = /^(?:PHP )?(?:Fatal|Parse) error: +(\S.*)$/;
const PHP_POSITION = /(?::| on line )(\d+)$/;

export class PhpunitReader extends reader.TestReader {
  #severity: reader.RawFinding["severity"] | undefined;
  #isTriggered = false;
  /** PHPUnit 10 and later count the warnings of PHP, earlier versions those of tests. */
  #version = 0;
  /** The last error of PHP, which can be on both streams. */
  #error = "";

  protected readLine(line: string): void {
    this.#version = Number(/^PHPUnit (\d+)\./.exec(line)?.[1] ?? this.#version);
    const list = PHPUNIT_LIST.exec(line)?.[1];
    const triggered = PHPUNIT_TRIGGERED.exec(line)?.[1];
    if (list !== undefined || triggered !== undefined || PHPUNIT_END.test(line)) {
      this.end();
      this.#severity = severityOfList(list ?? triggered ?? "");
      this.#isTriggered = triggered !== undefined;
    }
    const name = this.#severity === undefined ? undefined : PHPUNIT_ITEM.exec(line)?.[1];
    if (name !== undefined) this.#begin(name);
    else if (this.failure !== undefined) readPhpunit(line, this.failure);
    this.#readError(line);
    this.#readCounts(line);
  }

  #begin(name: string): void {
    const [, file, at] = this.#isTriggered ? (PHPUNIT_FRAME.exec(name) ?? []) : [];
    // The values of a data set are not a part of its name.
    const [set = ""] = / with data set (?:#\d+|"[^"]*")/.exec(name) ?? [];
    const end = name.indexOf(" with data set ");
    const rule = `${end === -1 ? name : name.slice(0, end)}${set}`;
    const named = name.includes("::") ? { rule, test: reader.testName(rule.split("::")) } : {};
    this.begin({ ...named, severity: this.#severity, place: reader.placeAt(file, at) });
  }

  #readError(line: string): void {
    const text = PHP_ERROR.exec(line)?.[1] ?? "";
    const position = PHP_POSITION.exec(text);
    const before = text.slice(0, position?.index ?? 0);
    const at = before.lastIndexOf(" in ");
    if (at === -1 || text === this.#error) return;
    this.#error = text;
    const place = reader.placeAt(before.slice(at + " in ".length), position?.[1]);
    this.add({ ...place, severity: "error", message: text.slice(0, at) });
  }

  #readCounts(line: string): void {
    const ok = PHPUNIT_OK.exec(line)?.[1];
    if (ok !== undefined) this.tally.sum({ passed: Number(ok) });
    else if (line === "No tests executed!") this.tally.sum({});
    const [, tests, text = ""] = PHPUNIT_COUNTS.exec(line) ?? [];
    if (tests === undefined) return;
    const sum = (...names: string[]): number =>
      text.split(", ").reduce((all, part) => {
        const [name = "", count] = part.split(": ");
        return all + (names.includes(name) ? Number(count) : 0);
      }, 0);
    const failed = sum("Errors", "Failures") + (this.#version < 10 ? sum("Warnings") : 0);
    this.sum(tests, failed, sum("Skipped", "Incomplete"));
  }
}

/** Returns undefined for a list whose items are not problems, such as that of skipped tests. */
function severityOfList(name: string): reader.RawFinding["severity"] | undefined {
  if (name === "error" || name === "failure") return "error";
  return /^(?:risky test|(?:test runner )?warning)$/.test(name) ? "warning" : undefined;
}

function readPhpunit(line: string, failure: reader.OpenFailure): void {
  const [, file, at] = PHPUNIT_FRAME.exec(line) ?? [];
  if (file !== undefined && !/[\\/]vendor[\\/]/.test(file)) reader.setPlace(failure, file, at);
  else if (failure.part === "message") {
    const isDifference = line === "" || line.startsWith("--- ");
    if (!isDifference) reader.addLine(failure, line);
    else if (failure.message.length > 0) failure.part = "after";
  }
}
