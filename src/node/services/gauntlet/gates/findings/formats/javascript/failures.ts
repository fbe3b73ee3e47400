/** Keeps the failures and the tests that the output of a JavaScript test runner has. */
import {
  MAX_RAW_FINDINGS,
  type LineReader,
  type NamedTest,
  type RawFinding,
  type TestRun,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import {
  isFrame,
  ownFrame,
  type Position,
} from "@/node/services/gauntlet/gates/findings/formats/traces";

/** The names of a failure. `file` and `line` are used if the text below the heading has no position. */
export type Failed = Pick<RawFinding, "rule" | "test"> & Position;

/** `5 | code`, `> 5 | code` and `| ^`, without the spaces at both ends. */
const CODE = /^(?:>? *\d+ *)?(?:\||│)/;
const COMPARED = /^(?:Expected|Received)[^:]*: /;
const MAX_PARTS = 3;
const NO_MESSAGE = "failed";

/** Reads failures, each a heading with text below it: a message, perhaps code, and a stack trace. */
class FailureList {
  readonly #ended: RawFinding[] = [];
  /** Several headings may share a text. */
  #open: Failed[] = [];
  #message: string[] = [];
  #position: Position | undefined;
  #hasFrames = false;

  get all(): RawFinding[] {
    return [...this.#ended, ...this.#openFindings()];
  }

  get hasMessage(): boolean {
    return this.#message.length > 0;
  }

  /** Ends the current failure, and begins another one. */
  begin(failed: Failed): void {
    this.end();
    this.also(failed);
  }

  /** Adds a heading that shares the text of the current failure. */
  also(failed: Failed): void {
    if (this.#ended.length + this.#open.length < MAX_RAW_FINDINGS) this.#open.push(failed);
  }

  /** Reads a line below the heading. */
  read(line: string): void {
    if (isFrame(line)) {
      this.#hasFrames = true;
      this.#position ??= ownFrame(line);
      return;
    }
    const text = line.trim();
    if (text === "" || CODE.test(text)) return;
    const isPart = this.hasMessage ? !this.#hasFrames && COMPARED.test(text) : true;
    if (isPart && this.#message.length < MAX_PARTS) this.#message.push(text);
  }

  end(): void {
    this.#ended.push(...this.#openFindings());
    this.#open = [];
    this.#message = [];
    this.#position = undefined;
    this.#hasFrames = false;
  }

  #openFindings(): RawFinding[] {
    const message = this.hasMessage ? this.#message.join(" ") : NO_MESSAGE;
    return this.#open.map((one) => ({
      ...{ ...one, testFile: one.file, ...this.#position },
      ...{ severity: "error", message },
    }));
  }
}

/** The words of the summaries, and what they count. */
const WORDS: Readonly<Record<string, "passed" | "failed" | "skipped">> = {
  ...{ passed: "passed", passing: "passed", pass: "passed", flaky: "passed" },
  ...{ failed: "failed", failing: "failed", fail: "failed" },
  ...{ cancelled: "failed", interrupted: "failed" },
  ...{ skipped: "skipped", skip: "skipped", pending: "skipped", todo: "skipped" },
  "did not run": "skipped",
};

/** Adds up the summaries of a runner. The tests that it names count when their summary follows. */
export class TestCounts {
  readonly #run = { passed: 0, failed: 0, skipped: 0, names: new Array<NamedTest>() };
  #hasSummary = false;
  #names: NamedTest[] = [];

  get run(): TestRun | undefined {
    return this.#hasSummary ? this.#run : undefined;
  }

  /** Keeps a test that passed until the summary. */
  name(test: NamedTest): void {
    if (this.#names.length < MAX_RAW_FINDINGS) this.#names.push(test);
  }

  /** Forgets all but the last tests, because others are those of another runner. */
  keepNames(count: number): void {
    this.#names = count === 0 ? [] : this.#names.slice(-count);
  }

  /** Adds a number of a summary. Ignores words that count something else. */
  add(count: string | undefined, word: string | undefined): void {
    const kind = word === undefined ? undefined : WORDS[word];
    if (kind === undefined) return;
    this.#hasSummary = true;
    this.#run[kind] += Number(count);
    const room = MAX_RAW_FINDINGS - this.#run.names.length;
    this.#run.names.push(...this.#names.slice(0, room));
    this.#names = [];
  }

  /** Adds a summary such as `5 failed, 1 skipped, 2 passed`. */
  addAll(summary: string, separator: string): void {
    for (const part of summary.split(separator)) {
      const space = part.trim().indexOf(" ");
      this.add(part.trim().slice(0, space), part.trim().slice(space + 1));
    }
  }
}

/** Reads the output of a runner whose failures are headings with text below them, and whose summary has counts. */
export abstract class RunnerReader implements LineReader {
  protected readonly failures = new FailureList();
  readonly tally = new TestCounts();

  get all(): RawFinding[] {
    return this.failures.all;
  }

  abstract read(line: string): void;
}

const DURATION = / [([]\d+(?:\.\d+)? ?m?s[)\]]$/;

/** Removes the duration at the end of the name of a test, which differs between runs. */
export function withoutDuration(text: string): string {
  return text.replace(DURATION, "");
}
