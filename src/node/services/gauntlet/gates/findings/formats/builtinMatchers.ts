/**
 * The built-in matchers, in the format of VS Code (G37). Every expression is linear: a group that ends at a mark
 * cannot match that mark again, or is only tried where a run of the same character begins.
 */
import type { Matcher, OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";

const TSC: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(\S.*?)\((\d+),(\d+)\): (error|warning|message) (TS\d+): (.*)$`,
        ...{ file: 1, line: 2, column: 3, severity: 4, code: 5, message: 6 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^(\S.*?):(\d+):(\d+) - (error|warning|message) (TS\d+): (.*)$`,
        ...{ file: 1, line: 2, column: 3, severity: 4, code: 5, message: 6 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^(error|warning) (TS\d+): (.*)$`,
        ...{ severity: 1, code: 2, message: 3 },
      },
    ],
  },
];

const ESLINT_STYLISH: readonly Matcher[] = [
  {
    pattern: [
      { regexp: String.raw`^(\S.*)$`, file: 1 },
      {
        regexp: String.raw`^ +(\d+):(\d+) +(error|warning|info) +(\S.*?)(?:(?<! ) {2,}(\S+))?$`,
        ...{ line: 1, column: 2, severity: 3, message: 4, code: 5, loop: true },
      },
    ],
  },
];

/** The formatter "pretty", which XO uses. */
const ESLINT_PRETTY: readonly Matcher[] = [
  {
    pattern: [
      { regexp: String.raw`^ {2}(\S[^:]*):\d+:\d+$`, file: 1 },
      {
        regexp: String.raw`^ {2}([✖⚠×]) +(\d+):(\d+) +(\S.*?)(?:(?<! ) {2,}(\S+))?$`,
        ...{ severity: 1, line: 2, column: 3, message: 4, code: 5, loop: true },
      },
    ],
  },
];

const ESLINT_UNIX: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(?=.* \[(?:Error|Warning)(?:\/[^\]\s]*)?\]$)(\S.*?):(\d+):(\d+): (.*) \[(Error|Warning)(?:\/([^\]\s]*))?\]$`,
        ...{ file: 1, line: 2, column: 3, message: 4, severity: 5, code: 6 },
      },
    ],
  },
];

/** `go build`, `go vet`, golangci-lint, and the panics of `go test`. Its failures have a reader of their own. */
const GO: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(?:vet: )?([^\s:][^:]*\.go):(\d+)(?::(\d+))?: (\S.*)$`,
        ...{ file: 1, line: 2, column: 3, message: 4 },
      },
    ],
  },
];

const RUSTC: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(error|warning)(?:\[([\w:]+)\])?: (.*)$`,
        ...{ severity: 1, code: 2, message: 3 },
      },
      {
        regexp: String.raw`^ +--> (\S.*?):(\d+):(\d+)$`,
        ...{ file: 1, line: 2, column: 3 },
      },
    ],
  },
];

/** The format "concise" (and "full" of older versions), and "full". A notebook has the number of the cell. */
const RUFF: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^([^\s:][^:]*)(?::cell \d+)?:(\d+):(\d+): ([A-Z]{1,8}\d{2,5}(?= )|(?:SyntaxError|invalid-syntax)(?=:)):? (?:\[\*\] )?(\S.*)$`,
        ...{ file: 1, line: 2, column: 3, code: 4, message: 5 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^([A-Z]{1,8}\d{2,5}(?= )|invalid-syntax(?=:)):? (?:\[\*\] )?(\S.*)$`,
        ...{ code: 1, message: 2 },
      },
      {
        regexp: String.raw`^ +--> (\S[^:]*)(?::cell \d+)?:(\d+):(\d+)$`,
        ...{ file: 1, line: 2, column: 3 },
      },
    ],
  },
];

/** The compilers of Java and Kotlin. Gradle's old console prints their first line behind the name of a task. */
const GRADLE: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(?::[\w:]+)?(\/[^:]*\.java):(\d+): (error|warning): (\S.*)$`,
        ...{ file: 1, line: 2, severity: 3, message: 4 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^([ew]): (?:file:\/\/)?(\/[^:]*\.kts?):(\d+):(\d+):? (\S.*)$`,
        ...{ severity: 1, file: 2, line: 3, column: 4, message: 5 },
      },
    ],
  },
];

export const BUILTIN_MATCHERS = {
  tsc: TSC,
  "eslint-stylish": ESLINT_STYLISH,
  "eslint-unix": ESLINT_UNIX,
  "eslint-pretty": ESLINT_PRETTY,
  go: GO,
  rustc: RUSTC,
  ruff: RUFF,
  gradle: GRADLE,
} satisfies Partial<Record<OutputFormat, readonly Matcher[]>>;
