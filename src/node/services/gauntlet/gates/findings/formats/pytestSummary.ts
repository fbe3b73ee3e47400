/** Finds the failures of pytest: its short summary, with the lines and errors of the tracebacks above it. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

const SUMMARY = /^(FAILED|ERROR) (\S[^:]*?\.py)(?:::(\S.*)| - (\S.*))?$/;
const HEADING = /^_{3,} (.+?) _{3,}$/;
const TRACED = /^(\S[^:]*\.py):(\d+): *(?:\S.*)?$/;
const RAISED = /^E +(\S.*)$/;
const NO_MESSAGE = "failed";

/** What a traceback says. The last position is where the error was raised. */
interface Traceback {
  file?: string;
  line?: number;
  error?: string;
}

export class PytestReader {
  readonly all: RawFinding[] = [];
  readonly #tracebacks = new Map<string, Traceback>();
  #current: Traceback = {};

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      this.#current = {};
      this.#tracebacks.set(heading, this.#current);
    }
    readTraceback(line, this.#current);
    const summary = SUMMARY.exec(line);
    if (summary !== null) this.all.push(failure(summary, this.#tracebacks));
  }
}

function readTraceback(line: string, traceback: Traceback): void {
  const [, file, at] = TRACED.exec(line) ?? [];
  if (file !== undefined) Object.assign(traceback, { file, line: positionOf(at) });
  traceback.error ??= RAISED.exec(line)?.[1];
}

function failure(
  [, , file = "", test, text]: RegExpExecArray,
  tracebacks: ReadonlyMap<string, Traceback>
): RawFinding {
  const { name, message } = test === undefined ? { name: "", message: text } : split(test);
  const traceback =
    test === undefined ? tracebacks.get(`ERROR collecting ${file}`) : of(name, tracebacks);
  const { line, error } = traceback ?? {};
  return {
    file: line === undefined ? file : (traceback?.file ?? file),
    ...(line === undefined ? {} : { line }),
    severity: "error",
    ...(name === "" ? {} : { rule: name }),
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
