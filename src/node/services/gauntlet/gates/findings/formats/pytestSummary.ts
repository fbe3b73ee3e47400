/** Finds the failures of pytest: its short summary, with the lines and errors of the tracebacks above it. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  testName,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testTally";

const SUMMARY = /^(FAILED|ERROR) (\S[^:]*?\.py)(?:::(\S.*)| - (\S.*))?$/;
/** Ends the tracebacks. Lines such as `SKIPPED [1] tests/test_a.py:1: why` follow. */
const SUMMARY_HEADING = /^=+ short test summary info =+$/;
const HEADING = /^_{3,} (.+?) _{3,}$/;
const TRACED = /^(\S[^:]*\.py):(\d+): *(?:\S.*)?$/;
const RAISED = /^E +(\S.*)$/;
const NO_MESSAGE = "failed";
/** With -v: `tests/test_a.py::test_b PASSED   [ 50%]`. */
const PASSED_LAST = /^(\S[^:]*\.py)::(\S.*) PASSED(?: +\[[^\]]*\])?$/;
/** With -rA, or with -v in several processes: `[gw0] [ 50%] PASSED tests/test_a.py::test_b`. */
const PASSED_FIRST = /^(?:\[gw\d+\] \[ *\d+%\] )?PASSED (\S[^:]*\.py)::(\S.*)$/;
/** Without -q, the line is filled with `=`. */
const COUNTS = /^(?:=+ )?((?:\d+|no) [a-z][^=]*) in \d[\d.]*s(?: \([\d:, a-z]*\))?(?: =+)?$/;
/** Errors are those of fixtures and of files that cannot be collected. */
const COUNTED: Readonly<Record<string, "passed" | "failed" | "skipped">> = {
  passed: "passed",
  xpassed: "passed",
  failed: "failed",
  error: "failed",
  errors: "failed",
  skipped: "skipped",
  xfailed: "skipped",
};
/** Counted by pytest, and not as tests. */
const NOT_COUNTED =
  /^\d+ (?:deselected|warnings?|rerun|subtests (?:passed|failed|skipped))$|^no tests (?:ran|collected)$/;

/** What a traceback says. The last position is where the error was raised. */
interface Traceback {
  file?: string;
  line?: number;
  error?: string;
}

export class PytestReader implements LineReader {
  readonly all: RawFinding[] = [];
  readonly tally = new TestTally();
  readonly #tracebacks = new Map<string, Traceback>();
  #current: Traceback = {};

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      this.#current = {};
      this.#tracebacks.set(heading, this.#current);
    }
    if (SUMMARY_HEADING.test(line)) this.#current = {};
    readTraceback(line, this.#current);
    const [, passedFile, passed] = PASSED_LAST.exec(line) ?? PASSED_FIRST.exec(line) ?? [];
    if (passedFile !== undefined && passed !== undefined) {
      this.tally.pass({ file: passedFile, test: nodeName(passedFile, passed) });
    }
    this.#readCounts(line);
    const [text, subtest] = line.startsWith("SUBFAILED") ? withoutSubtest(line) : [line];
    const summary = SUMMARY.exec(text);
    if (summary === null) return;
    const found = failure(summary, this.#tracebacks, subtest);
    this.all.push(found);
    if (found.test !== undefined) this.tally.fail(found.test);
  }

  #readCounts(line: string): void {
    const text = COUNTS.exec(line)?.[1];
    if (text === undefined) return;
    const counts = { passed: 0, failed: 0, skipped: 0 };
    let isSummary = false;
    for (const part of text.split(", ")) {
      const [count = "", word = ""] = part.split(" ");
      const key = COUNTED[word];
      if (key === undefined && !NOT_COUNTED.test(part)) return;
      if (key !== undefined) counts[key] += positionOf(count) ?? 0;
      isSummary ||= !part.includes("warning");
    }
    if (isSummary) this.tally.sum(counts);
  }
}

/** Splits `SUBFAILED(i=1) tests/test_a.py::test_b - error` into the line of a test, and the subtest. */
function withoutSubtest(line: string): [string, string] {
  const path = line.lastIndexOf(" ", line.indexOf(".py::")) + 1;
  return [`FAILED ${line.slice(path)}`, line.slice("SUBFAILED".length, path).trim()];
}

/** Returns the name of a test. Its parameters, which can have any characters, are not split. */
function nodeName(file: string, test: string): string {
  const bracket = test.indexOf("[");
  const end = bracket === -1 ? test.length : bracket;
  const parts = test.slice(0, end).split("::");
  const last = `${parts.pop() ?? ""}${test.slice(end)}`;
  return testName([file, ...parts, last]);
}

function readTraceback(line: string, traceback: Traceback): void {
  const [, file, at] = TRACED.exec(line) ?? [];
  if (file !== undefined) Object.assign(traceback, { file, line: positionOf(at) });
  traceback.error ??= RAISED.exec(line)?.[1];
}

function failure(
  [, , file = "", test, text]: RegExpExecArray,
  tracebacks: ReadonlyMap<string, Traceback>,
  subtest = ""
): RawFinding {
  const { name: id, message } = test === undefined ? { name: "", message: text } : split(test);
  const name = subtest === "" ? id : `${id} ${subtest}`;
  const traceback =
    test === undefined ? tracebacks.get(`ERROR collecting ${file}`) : of(name, tracebacks);
  const { line, error } = traceback ?? {};
  return {
    file: line === undefined ? file : (traceback?.file ?? file),
    ...(line === undefined ? {} : { line }),
    severity: "error",
    ...(name === "" ? {} : { rule: name, test: nodeName(file, id) }),
    // The summary is cut to the width of the terminal.
    message: error ?? message ?? NO_MESSAGE,
  };
}

/** Splits the name of a test from the message. The name may have parameters, such as `test_a[x - y]`. */
function split(text: string): { readonly name: string; readonly message?: string } {
  const bracket = text.indexOf("[");
  const first = text.indexOf(" - ");
  if (first === -1) return { name: text };
  const close = bracket === -1 || bracket > first ? -1 : text.indexOf("] - ");
  const end = close === -1 ? first : close + 1;
  return { name: text.slice(0, end), message: text.slice(end + " - ".length) };
}

/** Returns the traceback of a test, whose heading separates the class from the method by a dot. */
function of(test: string, tracebacks: ReadonlyMap<string, Traceback>): Traceback | undefined {
  const bracket = test.indexOf("[");
  const end = bracket === -1 ? test.length : bracket;
  const name = `${test.slice(0, end).replaceAll("::", ".")}${test.slice(end)}`;
  return (
    tracebacks.get(name) ??
    tracebacks.get(`ERROR at setup of ${name}`) ??
    tracebacks.get(`ERROR at teardown of ${name}`)
  );
}
