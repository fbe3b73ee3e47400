/**
 * Finds the message and the position of a failed test for readers of other formats: in stack traces of JavaScript, the
 * `a.py:1:` lines of pytest, panics of Rust and `t.Error` lines of Go. Skips frames of dependencies and of the runtime.
 * Without a frame of JavaScript, the message is the beginning of the text.
 */
import { outputLines } from "@/node/services/gauntlet/gates/findings/outputLines";
import { placeAt, type Position } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

/** The beginning and the end of `at f (src/a.js:1:2)`, `at src/a.js:1:2` and Vitest's ` ❯ f src/a.ts:1:2`. */
const JS_FRAME = /^\s*(at|❯) (?:async )?/;
const JS_POSITION = /:(\d+):(\d+)\)?$/;
/** Matches the file of a frame of a dependency or of the runtime. */
export const FOREIGN =
  /(?:^|\/)(?:node_modules|(?:site|dist)-packages|lib\/python3\.\d+)\/|^node:|^internal\//;
const PYTHON = /^(?![E>] {2,})(\S[^:]*\.py):(\d+): /;
const RUST_PANIC = /panicked at ([^\s:]+):(\d+):(\d+)/;
const GO_TEST = /^\s+([^\s:][^\s:]*\.go):(\d+): /;

const MAX_LINES = 500;

/** Returns the first frame of the project's own code; for Python, the last one, where the error was raised. */
export function positionInTrace(text: string): Position {
  let last: Position = {};
  for (const line of outputLines(text).slice(0, MAX_LINES)) {
    const other = RUST_PANIC.exec(line) ?? GO_TEST.exec(line);
    const frame = jsFrame(line) ?? placeAt(other?.[1], other?.[2], other?.[3]);
    if (frame.file !== undefined && !FOREIGN.test(frame.file)) return frame;
    const [, file, at] = PYTHON.exec(line) ?? [];
    if (file !== undefined && !FOREIGN.test(file)) last = placeAt(file, at);
  }
  return last;
}

/** Returns the position of a frame, unless it belongs to a dependency or to the runtime. */
export function ownFrame(line: string): Position | undefined {
  const frame = jsFrame(line);
  return frame?.file === undefined || FOREIGN.test(frame.file) ? undefined : frame;
}

/** Returns the text before the first frame, on one line. */
export function messageOfTrace(text: string): string {
  const lines = outputLines(text.trim()).slice(0, MAX_LINES);
  const end = lines.findIndex((line) => jsFrame(line) !== undefined);
  return lines.slice(0, end === -1 ? MAX_MESSAGE_LINES : end).join(" ");
}

const MAX_MESSAGE_LINES = 6;

/** Returns the position in a line of a JavaScript stack trace. */
export function jsFrame(line: string): Position | undefined {
  const [start, mark] = JS_FRAME.exec(line) ?? [];
  const end = start === undefined ? null : JS_POSITION.exec(line);
  if (start === undefined || end === null || end.index <= start.length) return undefined;
  const text = line.slice(start.length, end.index);
  const from = mark === "at" ? text.indexOf(" (") + 1 : text.lastIndexOf(" ");
  const file = text.slice(mark === "at" && from === 0 ? 0 : from + 1);
  return placeAt(file, end[1], end[2]);
}
