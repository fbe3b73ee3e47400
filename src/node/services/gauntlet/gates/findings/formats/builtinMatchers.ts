/**
 * The built-in matchers, in the format of VS Code (G37). Every expression is linear: a group that ends at a mark
 * cannot match that mark again, or is only tried where a run of the same character begins.
 */
import type { Matcher } from "@/node/services/gauntlet/domain/findings/finding";

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

/** `go build`, `go vet`, golangci-lint, and the panics of `go test`. Its failures have a parser of their own. */
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
  {
    pattern: [
      {
        regexp: String.raw`^thread '([^']*)' (?:\(\d+\) )?panicked at (\S.*?):(\d+):(\d+):$`,
        ...{ code: 1, file: 2, line: 3, column: 4 },
      },
      { regexp: String.raw`^(\S.*)$`, message: 1 },
    ],
  },
];

export const BUILTIN_MATCHERS: Readonly<
  Record<"tsc" | "eslint-stylish" | "eslint-unix" | "go" | "rustc", readonly Matcher[]>
> = {
  tsc: TSC,
  "eslint-stylish": ESLINT_STYLISH,
  "eslint-unix": ESLINT_UNIX,
  go: GO,
  rustc: RUSTC,
};
