/** Finds the problems that mypy and pyright print. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

/** With `--show-column-numbers` it has a column, with `--show-error-end` also the position of the end. */
const MYPY =
  /^([^\s:][^:]*\.pyi?)(?::(\d+)(?::(\d+)(?::\d+:\d+)?)?)?: (error|warning|note): (\S.*)$/;
const MYPY_CODE = /(?<! ) +\[([a-z][a-z-]*)\]$/;
const MYPY_SUMMARY = /^(?:Found \d|Success: )/;
/** `--pretty` breaks a message at the width of the terminal. */
const MAX_WRAPPED_LINES = 6;

export class MypyReader implements LineReader {
  readonly all: RawFinding[] = [];
  /** The position of the last error, to which the notes that follow it belong. */
  #lastError = "";
  /** The lines of a message without a code so far. */
  #wrapped: string[] = [];

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    const [, file, at, column, level, text = ""] = MYPY.exec(line) ?? [];
    if (file === undefined) {
      this.#continue(line);
      return;
    }
    this.#wrapped = [];
    const isNote = level === "note";
    const position = `${file}:${at}`;
    if (isNote && (at === undefined || position === this.#lastError)) return;
    if (!isNote) this.#lastError = position;
    const severity = severityOf(level) ?? "error";
    const [lineNumber, columnNumber] = [positionOf(at), positionOf(column)];
    this.all.push({ file, line: lineNumber, column: columnNumber, severity, ...withCode(text) });
    if (!MYPY_CODE.test(text)) this.#wrapped = [text];
  }

  /** Completes a message of several lines, which end with a code. */
  #continue(line: string): void {
    const last = this.all.at(-1);
    const isPart = line !== "" && !line.startsWith(" ") && !MYPY_SUMMARY.test(line);
    if (last === undefined || this.#wrapped.length === 0) return;
    this.#wrapped = isPart ? [...this.#wrapped, line] : [];
    if (isPart && MYPY_CODE.test(line)) {
      this.all[this.all.length - 1] = { ...last, ...withCode(this.#wrapped.join(" ")) };
      this.#wrapped = [];
    } else if (/^\[[a-z][a-z-]*\]$/.test(line)) {
      const message = this.#wrapped.slice(0, -1).join(" ");
      this.all[this.all.length - 1] = { ...last, message, rule: line.slice(1, -1) };
      this.#wrapped = [];
    }
    if (this.#wrapped.length >= MAX_WRAPPED_LINES) this.#wrapped = [];
  }
}

function withCode(text: string): Pick<RawFinding, "message" | "rule"> {
  const code = MYPY_CODE.exec(text);
  return code === null ? { message: text } : { message: text.slice(0, code.index), rule: code[1] };
}

const PYRIGHT = /^ +(\S.*?):(\d+):(\d+) - (error|warning|information): (\S.*)$/;
const PYRIGHT_DETAIL = /^\s{4,}\S/;
const PYRIGHT_RULE = / \((report[A-Za-z]+)\)$/;

/** The rule of a problem is at the end of its last line. Only the first line is used as the message. */
export class PyrightReader implements LineReader {
  readonly all: RawFinding[] = [];
  #needsRule = false;

  read(line: string): void {
    if (this.all.length >= MAX_RAW_FINDINGS) return;
    const [, file, at, column, level, text = ""] = PYRIGHT.exec(line) ?? [];
    const rule = PYRIGHT_RULE.exec(file === undefined ? line : text);
    const last = this.all.at(-1);
    if (file !== undefined) {
      const message = rule === null ? text : text.slice(0, rule.index);
      const severity = severityOf(level) ?? "error";
      const [lineNumber, columnNumber] = [positionOf(at), positionOf(column)];
      const place = { file, line: lineNumber, column: columnNumber };
      this.all.push({ ...place, severity, rule: rule?.[1], message });
      this.#needsRule = rule === null;
    } else if (this.#needsRule && last !== undefined && PYRIGHT_DETAIL.test(line)) {
      if (rule !== null) this.all[this.all.length - 1] = { ...last, rule: rule[1] };
      this.#needsRule = rule === null;
    } else {
      this.#needsRule = false;
    }
  }
}
