/**
 * Finds the failures in the output of pytest, from its short summary and the tracebacks above it, the tests that
 * passed, and the numbers of tests.
 */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { FOREIGN } from "@/node/services/gauntlet/gates/findings/formats/stackTraces";

/** The tests may be in a text or a notebook. Lines without a test are read only of Python, because others have such. */
const SUMMARY =
  /^(FAILED|ERROR) (\S[^:]*?\.(?:py(?= - |$)|(?:py|md|rst|txt|ipynb|ya?ml)(?=::)))(?:::(\S.*)| - (\S.*))?$/;
/** Ends a traceback. Lines of the test's output follow, or some such as `SKIPPED [1] tests/test_a.py:1: why`. */
const TRACEBACK_END = /^=+ short test summary info =+$|^-+ Captured .+ -+$/;
const HEADING = /^_{3,} (?:\[doctest\] )?(.+?) _{3,}$/;
const TRACED = /^(?![E>] {2,})(\S[^:]*\.(?:py|md|rst|txt)):(\d+): *(?:\S.*)?$/;
const RAISED = /^E +(\S.*)$/;
/** With -v: `tests/test_a.py::test_b PASSED   [ 50%]`. */
const PASSED_LAST = /^(\S[^:]*\.(?:py|md|rst|txt|ipynb|ya?ml))::(\S.*) PASSED(?: +\[[^\]]*\])?$/;
/** With -rA, or with -v in several processes: `[gw0] [ 50%] PASSED tests/test_a.py::test_b`. */
const PASSED_FIRST =
  /^(?:\[gw\d+\] \[ *\d+%\] )?PASSED (\S[^:]*\.(?:py|md|rst|txt|ipynb|ya?ml))::(\S.*)$/;
/** Without -q, the line is filled with `=`. */
const COUNTS = /^(?:=+ )?((?:\d+|no) [a-z][^=]*) in \d[\d.]*s(?: \([\d:, a-z]*\))?(?: =+)?$/;
const COUNTED = /^(\d+|no) (x?passed|x?failed|errors?|skipped)(?: |$)/;
/** Counted by pytest, and not as tests. */
const NOT_COUNTED =
  /^\d+ (?:deselected|warnings?|rerun|subtests (?:passed|failed|skipped))$|^no tests (?:ran|collected)$/;

/** The facts in a traceback. The last position in the project is where the error was raised. */
interface Traceback {
  file?: string;
  line?: number;
  error?: string;
}

export class PytestReader extends reader.TestReader {
  readonly #tracebacks = new Map<string, Traceback>();
  #current: Traceback = {};

  protected readLine(line: string): void {
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      this.#current = {};
      this.#tracebacks.set(heading, this.#current);
    }
    if (TRACEBACK_END.test(line)) this.#current = {};
    const [, file, at] = TRACED.exec(line) ?? [];
    if (file !== undefined && !FOREIGN.test(file))
      Object.assign(this.#current, reader.placeAt(file, at));
    this.#current.error ??= RAISED.exec(line)?.[1];
    const [, passedFile, passed] = PASSED_LAST.exec(line) ?? PASSED_FIRST.exec(line) ?? [];
    if (passedFile !== undefined && passed !== undefined) {
      this.tally.pass({ file: passedFile, test: nodeName(passedFile, passed) });
    }
    this.#readCounts(line);
    const [text, subtest] = line.startsWith("SUBFAILED") ? withoutSubtest(line) : [line];
    const summary = SUMMARY.exec(text);
    if (summary !== null) this.add(failure(summary, this.#tracebacks, subtest));
  }

  #readCounts(line: string): void {
    const parts = COUNTS.exec(line)?.[1]?.split(", ") ?? [];
    const isSummary = parts.every((part) => COUNTED.test(part) || NOT_COUNTED.test(part));
    if (!isSummary || parts.every((part) => part.includes("warning"))) return;
    this.tally.sum({});
    for (const part of parts) {
      const [, count, word] = COUNTED.exec(part) ?? [];
      this.tally.sumWord(count, word);
    }
  }
}

/** Splits `SUBFAILED(i=1) tests/test_a.py::test_b - error` into the line of a test, and the subtest. */
function withoutSubtest(line: string): [string, string] {
  const path = line.lastIndexOf(" ", line.indexOf(".py::")) + 1;
  return [`FAILED ${line.slice(path)}`, line.slice("SUBFAILED".length, path).trim()];
}

/** Returns the name of a test. Its parameters, which can have any characters, are not split. */
function nodeName(file: string, test: string): string {
  const [path = ""] = test.split("[", 1);
  const parts = path.split("::");
  const last = `${parts.pop() ?? ""}${test.slice(path.length)}`;
  return reader.testName([file, ...parts, last]);
}

function failure(
  [, , file = "", test, text]: RegExpExecArray,
  tracebacks: ReadonlyMap<string, Traceback>,
  subtest = ""
): reader.RawFinding {
  const { name: id, message } = test === undefined ? { name: "", message: text } : split(test);
  const name = subtest === "" ? id : `${id} ${subtest}`;
  const traceback =
    test === undefined ? tracebacks.get(`ERROR collecting ${file}`) : traceOf(name, tracebacks);
  const { line, error } = traceback ?? {};
  return {
    file: line === undefined ? file : (traceback?.file ?? file),
    line,
    severity: "error",
    ...(name === "" ? {} : { rule: name, test: nodeName(file, id) }),
    // The summary is cut to the width of the terminal.
    message: error ?? message ?? "failed",
  };
}

/** Splits the name of a test from the message. The name may have parameters, such as `test_a[x - y]`. */
function split(text: string): { readonly name: string; readonly message?: string } {
  const bracket = text.indexOf("[");
  const first = text.indexOf(" - ");
  const close = bracket === -1 || bracket > first ? -1 : text.indexOf("] - ");
  // Without room in the line, there is no message.
  const isWhole = bracket !== -1 && bracket < first && close === -1 && text.endsWith("]");
  if (first === -1 || isWhole) return { name: text };
  const end = close === -1 ? first : close + 1;
  return { name: text.slice(0, end), message: text.slice(end + " - ".length) };
}

/** Returns the traceback of a test, whose heading separates the class from the method by a dot. */
function traceOf(test: string, tracebacks: ReadonlyMap<string, Traceback>): Traceback | undefined {
  const [path = ""] = test.split("[", 1);
  const name = `${path.replaceAll("::", ".")}${test.slice(path.length)}`;
  return (
    tracebacks.get(name) ??
    tracebacks.get(`ERROR at setup of ${name}`) ??
    tracebacks.get(`ERROR at teardown of ${name}`)
  );
}
