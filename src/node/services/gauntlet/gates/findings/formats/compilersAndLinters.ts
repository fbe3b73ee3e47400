/**
 * Defines how to find problems in the output of compilers, linters and formatters: by regular expressions for most
 * tools, by classes for Prettier, mypy and Pyright. Also finds errors that Playwright reports outside of any test.
 */
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import type { BuiltinMatcher } from "@/node/services/gauntlet/gates/findings/MatcherRun";

/**
 * The expressions of the tools whose problems match one expression a line (G37). Every expression is linear: a group
 * that ends at a mark cannot match that mark again, or is only tried where a run of the same character begins.
 */
export const MATCHERS = {
  tsc: [
    /^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning|message) (?<code>TS\d+): (?<message>.*)$/,
    /^(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<severity>error|warning|message) (?<code>TS\d+): (?<message>.*)$/,
    /^(?<severity>error|warning) (?<code>TS\d+): (?<message>.*)$/,
  ],
  "eslint-stylish": [
    {
      repeated: [
        /^(?<file>\S.*)$/,
        /^ +(?<line>\d+):(?<column>\d+) +(?<severity>error|warning|info) +(?<message>\S.*?)(?:(?<! ) {2,}(?<code>\S+))?$/,
      ],
    },
  ],
  "eslint-unix": [
    /^(?=.* \[(?:Error|Warning)(?:\/[^\]\s]*)?\]$)(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<severity>Error|Warning)(?:\/(?<code>[^\]\s]*))?\]$/,
  ],
  /** XO uses this formatter. */
  "eslint-pretty": [
    {
      repeated: [
        /^ {2}(?<file>\S[^:]*):\d+:\d+$/,
        /^ {2}(?<severity>[✖⚠×]) +(?<line>\d+):(?<column>\d+) +(?<message>\S.*?)(?:(?<! ) {2,}(?<code>\S+))?$/,
      ],
    },
  ],
  /** `go build`, `go vet`, golangci-lint, and the panics of `go test`. Its failures have a reader of their own. */
  go: [/^(?:vet: )?(?<file>[^\s:][^:]*\.go):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$/],
  rustc: [
    [
      /^(?<severity>error|warning)(?:\[(?<code>[\w:]+)\])?: (?<message>.*)$/,
      /^ +--> (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$/,
    ],
  ],
  /** The format "concise" (and "full" of older versions), and "full". A notebook has the number of the cell. */
  ruff: [
    /^(?<file>[^\s:][^:]*)(?::cell \d+)?:(?<line>\d+):(?<column>\d+): (?<code>[A-Z]{1,8}\d{2,5}(?= )|(?:SyntaxError|invalid-syntax)(?=:)):? (?:\[\*\] )?(?<message>\S.*)$/,
    [
      /^(?<code>[A-Z]{1,8}\d{2,5}(?= )|invalid-syntax(?=:)):? (?:\[\*\] )?(?<message>\S.*)$/,
      /^ +--> (?<file>\S[^:]*)(?::cell \d+)?:(?<line>\d+):(?<column>\d+)$/,
    ],
  ],
  /** The compilers of Java and Kotlin. Gradle's old console prints their first line behind the name of a task. */
  gradle: [
    /^(?::[\w:]+)?(?<file>\/[^:]*\.java):(?<line>\d+): (?<severity>error|warning): (?<message>\S.*)$/,
    /^(?<severity>[ew]): (?:file:\/\/)?(?<file>\/[^:]*\.kts?):(?<line>\d+):(?<column>\d+):? (?<message>\S.*)$/,
  ],
  /** The same compilers with Maven. */
  surefire: [
    /^\[(?<severity>ERROR|WARNING)\] (?<file>\/?\S[^:]*\.(?:java|kt)):\[(?<line>\d+),(?<column>\d+)\] (?<message>\S.*)$/,
  ],
  /** MSBuild and its compilers. The path of the project is at the end, in brackets. */
  dotnet: [
    /^\s*(?<file>\S[^:]*\.\w*(?:proj|sln)) : (?<severity>error|warning) (?<code>[A-Z]{2,}\d+): (?<message>\S.*?)(?: \[(?:(?! \[).)*proj\])?$/,
    /^\s*(?<file>\S[^(]*\.(?:cs|fs|vb|razor|cshtml|xaml|props|targets|\w*proj))\((?<line>\d+)(?:,(?<column>\d+))?[^)]*\): (?<severity>error|warning) (?<code>[A-Z]{2,}\d+): (?<message>\S.*?)(?: \[(?:(?! \[).)*proj\])?$/,
  ],
  /** An error outside of all tests, such as one in a file that cannot be loaded. */
  playwright: [[/^(?<message>\w*Error: .*)$/, /^$/, /^ {3}at (?<file>\S.*?):(?<line>\d+)$/]],
  biome: [
    [
      /^(?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))? (?<code>[A-Za-z][\w/.-]*)(?: {2}FIXABLE )? ━+$/,
      /^$/,
      /^ {2}(?<severity>[×✖!⚠iℹ]) (?<message>\S.*)$/,
    ],
  ],
  /** The last three are what it prints in GitHub Actions and for agents, there without a rule for an invalid file. */
  oxlint: [
    [
      /^ {2}(?<severity>[x×!⚠iℹ]) (?:(?<code>\w[\w@/-]*\([\w@/-]+\)): )?(?<message>\S.*)$/,
      /^ {3}[,╭][-─]\[(?<file>\S.*):(?<line>\d+):(?<column>\d+)\]$/,
    ],
    /^::(?<severity>error|warning) file=(?<file>[^,]+),line=(?<line>\d+),endLine=\d+,col=(?<column>\d+),endColumn=\d+,title=(?:oxlint|(?<code>[^:,]*))::[^:]*:\d+:\d+: (?<message>.*)$/,
    /^(?<file>\S[^:]*):(?<line>\d+):(?<column>\d+): (?<severity>error|warning) (?<code>\w[\w@/-]*\([\w@/-]+\)): (?<message>\S.*?)(?: help: .*)?$/,
    /^(?<file>\S[^:]*\.(?:[cm]?[jt]sx?|vue|svelte|astro)):(?<line>\d+):(?<column>\d+): (?<severity>error|warning): (?<message>\S.*?)(?: help: .*)?$/,
  ],
} satisfies Partial<Record<OutputFormat, readonly BuiltinMatcher[]>>;

/** Not the sentences of other warnings, which end with a period. */
const UNFORMATTED = /^\[warn\] (\S+|\S.*\.[\w-]+)$/;
const INVALID = /^\[error\] (\S+|\S.*?\.[\w-]+): (\w*Error: .*?)(?: \((\d+):(\d+)\))?$/;
const CHECKED = /^\[warn\] Code style issues |^Error occurred when checking code style /;

/** Finds the files that Prettier would change, which count if its first or its last line is there as well. */
export class PrettierReader implements reader.LineReader {
  readonly all: reader.RawFinding[] = [];
  /** The files without the first line above them, which the log level removes. */
  #pending: reader.RawFinding[] = [];
  #isStarted = false;

  read(line: string): void {
    if (line === "Checking formatting...") this.#isStarted = true;
    const file = UNFORMATTED.exec(line)?.[1];
    if (file !== undefined) this.#add({ file, severity: "warning", message: "not formatted" });
    const [, invalid, message = "", row, column] = INVALID.exec(line) ?? [];
    if (invalid !== undefined) {
      this.#add({ ...reader.placeAt(invalid, row, column), severity: "error", message });
    }
    if (!CHECKED.test(line)) return;
    this.all.push(...this.#pending);
    this.#pending = [];
    this.#isStarted = false;
  }

  #add(finding: reader.RawFinding): void {
    const list = this.#isStarted ? this.all : this.#pending;
    if (this.all.length + this.#pending.length < reader.MAX_RAW_FINDINGS) list.push(finding);
  }
}

/** With `--show-column-numbers` it has a column, with `--show-error-end` also the position of the end. */
const MYPY =
  /^([^\s:][^:]*\.pyi?)(?::(\d+)(?::(\d+)(?::\d+:\d+)?)?)?: (error|warning|note): (\S.*)$/;
const MYPY_CODE = /(?<! ) +\[([a-z][a-z-]*)\]$/;
const MYPY_SUMMARY = /^(?:Found \d|Success: )/;
/** `--pretty` breaks a message at the width of the terminal. */
const MAX_WRAPPED_LINES = 6;

export class MypyReader implements reader.LineReader {
  readonly all: reader.RawFinding[] = [];
  /** The position of the last error, to which the notes that follow it belong. */
  #lastError = "";
  /** The lines of a message without a code so far. */
  #wrapped: string[] = [];

  read(line: string): void {
    if (this.all.length >= reader.MAX_RAW_FINDINGS) return;
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
    const severity = reader.severityOf(level) ?? "error";
    this.all.push({ ...reader.placeAt(file, at, column), severity, ...withCode(text) });
    if (!MYPY_CODE.test(text)) this.#wrapped = [text];
  }

  /** Completes a message of several lines, which end with a code. */
  #continue(line: string): void {
    const last = this.all.at(-1);
    const isPart = line !== "" && !line.startsWith(" ") && !MYPY_SUMMARY.test(line);
    if (last === undefined || this.#wrapped.length === 0) return;
    this.#wrapped = isPart ? [...this.#wrapped, line] : [];
    // The code may be alone on the last line.
    const text = this.#wrapped.join(" ");
    if (isPart && MYPY_CODE.test(text)) {
      this.all[this.all.length - 1] = { ...last, ...withCode(text) };
      this.#wrapped = [];
    }
    if (this.#wrapped.length >= MAX_WRAPPED_LINES) this.#wrapped = [];
  }
}

function withCode(text: string): Pick<reader.RawFinding, "message" | "rule"> {
  const code = MYPY_CODE.exec(text);
  return code === null ? { message: text } : { message: text.slice(0, code.index), rule: code[1] };
}

const PYRIGHT = /^ +(\S.*?):(\d+):(\d+) - (error|warning|information): (\S.*)$/;
const PYRIGHT_DETAIL = /^\s{4,}\S/;
const PYRIGHT_RULE = / \((report[A-Za-z]+)\)$/;

/** The rule of a problem is at the end of its last line. Only the first line is used as the message. */
export class PyrightReader implements reader.LineReader {
  readonly all: reader.RawFinding[] = [];
  #needsRule = false;

  read(line: string): void {
    if (this.all.length >= reader.MAX_RAW_FINDINGS) return;
    const [, file, at, column, level, text = ""] = PYRIGHT.exec(line) ?? [];
    const rule = PYRIGHT_RULE.exec(file === undefined ? line : text);
    const last = this.all.at(-1);
    if (file !== undefined) {
      const message = text.slice(0, rule?.index);
      const severity = reader.severityOf(level) ?? "error";
      this.all.push({ ...reader.placeAt(file, at, column), severity, rule: rule?.[1], message });
    } else if (!this.#needsRule || last === undefined || !PYRIGHT_DETAIL.test(line)) {
      this.#needsRule = false;
      return;
    } else if (rule !== null) this.all[this.all.length - 1] = { ...last, rule: rule[1] };
    this.#needsRule = rule === null;
  }
}
