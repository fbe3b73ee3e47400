/** Matches the problems of Biome and Oxlint, and finds the files that Prettier would change. */
import type { Matcher } from "@/node/services/gauntlet/domain/findings/finding";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

export const BIOME: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^(\S.*?)(?::(\d+):(\d+))? ([A-Za-z][\w/.-]*)(?: {2}FIXABLE )? ━+$`,
        ...{ file: 1, line: 2, column: 3, code: 4 },
      },
      { regexp: "^$" },
      { regexp: String.raw`^ {2}([×✖!⚠iℹ]) (\S.*)$`, severity: 1, message: 2 },
    ],
  },
];

/** The last three are what it prints in GitHub Actions and for agents, there without a rule for an invalid file. */
export const OXLINT: readonly Matcher[] = [
  {
    pattern: [
      {
        regexp: String.raw`^ {2}([x×!⚠iℹ]) (?:(\w[\w@/-]*\([\w@/-]+\)): )?(\S.*)$`,
        ...{ severity: 1, code: 2, message: 3 },
      },
      { regexp: String.raw`^ {3}[,╭][-─]\[(\S.*):(\d+):(\d+)\]$`, file: 1, line: 2, column: 3 },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^::(error|warning) file=([^,]+),line=(\d+),endLine=\d+,col=(\d+),endColumn=\d+,title=(?:oxlint|([^:,]*))::[^:]*:\d+:\d+: (.*)$`,
        ...{ severity: 1, file: 2, line: 3, column: 4, code: 5, message: 6 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^(\S[^:]*):(\d+):(\d+): (error|warning) (\w[\w@/-]*\([\w@/-]+\)): (\S.*?)(?: help: .*)?$`,
        ...{ file: 1, line: 2, column: 3, severity: 4, code: 5, message: 6 },
      },
    ],
  },
  {
    pattern: [
      {
        regexp: String.raw`^(\S[^:]*\.(?:[cm]?[jt]sx?|vue|svelte|astro)):(\d+):(\d+): (error|warning): (\S.*?)(?: help: .*)?$`,
        ...{ file: 1, line: 2, column: 3, severity: 4, message: 5 },
      },
    ],
  },
];

const START = "Checking formatting...";
const UNFORMATTED = /^\[warn\] (\S.*\.\w+)$/;
const ENDED = /^\[warn\] Code style issues |^Error occurred when checking code style /;
const INVALID = /^\[error\] (\S.*?\.\w+): (\w*Error: .*?)(?: \((\d+):(\d+)\))?$/;
const NOT_FORMATTED = "not formatted";

export class PrettierReader implements LineReader {
  readonly all: RawFinding[] = [];
  /** The files that follow no beginning, which the log level removes. */
  #pending: RawFinding[] = [];
  #isStarted = false;

  read(line: string): void {
    if (line === START) this.#isStarted = true;
    const file = UNFORMATTED.exec(line)?.[1];
    if (file !== undefined) {
      this.#add({ file, severity: "warning", message: NOT_FORMATTED });
    }
    const [, invalid, message = "", row, column] = INVALID.exec(line) ?? [];
    if (invalid !== undefined) {
      const place = { file: invalid, line: positionOf(row), column: positionOf(column) };
      this.#add({ ...place, severity: "error", message });
    }
    if (!ENDED.test(line)) return;
    this.all.push(...this.#pending);
    this.#pending = [];
    this.#isStarted = false;
  }

  #add(finding: RawFinding): void {
    const list = this.#isStarted ? this.all : this.#pending;
    if (this.all.length + this.#pending.length < MAX_RAW_FINDINGS) list.push(finding);
  }
}
