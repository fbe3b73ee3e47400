/** Finds the failures of `bun test`, whose errors are above the name of the test, and the tests that passed. */
import {
  RunnerReader,
  withoutDuration,
  type Failed,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";

const START = /^bun test v\d/;
const FILE = /^(?:::group::)?(\S.*\.\w+):$/;
/** In color, there are marks instead of words. */
const RESULT = /^(?:(\(pass\)|✓)|(\(fail\)|✗)|\(skip\)|\(todo\)|»|✎) (\S.*)$/;
const ERROR = /^[A-Za-z]*[Ee]rror(?: \[\w+\])?: /;
/** Below the name of a test, such as `^ this test timed out after 5000ms.` */
const REASON = /^ {2}\^ (.*)$/;
const BETWEEN_TESTS = "# Unhandled error between tests";
const RULER = /^-{20,}$/;
/** The results are printed a second time at the end of a long run. */
const REPEATED = /^\d+ tests (?:failed|skipped|todo):$/;
const SUMMARY = /^ (\d+) (pass|fail|skip|todo)$/;
const END = /^Ran \d+ tests? across /;
const HOOK = /(?:^| > )\(unnamed\)$/;
const MAX_LINES = 200;

export class BunTestReader extends RunnerReader {
  #state: "none" | "running" | "repeating" = "none";
  #file: string | undefined;
  /** Since the last result, from the first error. */
  #lines: string[] = [];
  /** How many of the two lines around an error between tests are still to come. */
  #rulers = 0;

  read(line: string): void {
    if (START.test(line)) {
      this.#state = "running";
      this.#file = undefined;
      this.#lines = [];
    }
    if (this.#state === "none") return;
    const [, count, word] = SUMMARY.exec(line) ?? [];
    if (count !== undefined) this.tally.add(count, word);
    else if (REPEATED.test(line)) this.#state = "repeating";
    else if (END.test(line)) this.#state = "none";
    else if (this.#state === "running") this.#readRun(line);
  }

  #readRun(line: string): void {
    const [, passed, failed, text] = RESULT.exec(line) ?? [];
    const file = this.#rulers === 0 ? FILE.exec(line)?.[1] : undefined;
    if (text !== undefined) {
      const test = withoutDuration(text);
      if (passed !== undefined) this.tally.name({ file: this.#file, test });
      const named = { file: this.#file, rule: test, test: HOOK.test(test) ? undefined : test };
      this.#end(failed === undefined ? undefined : named);
    } else if (file !== undefined) {
      this.#file = file;
      this.#end(undefined);
    } else if (line === BETWEEN_TESTS) this.#rulers = 2;
    else if (this.#rulers > 0 && RULER.test(line)) {
      if (--this.#rulers === 0) this.#end({ file: this.#file });
    } else this.#readText(line);
  }

  #readText(line: string): void {
    const reason = REASON.exec(line)?.[1];
    if (reason !== undefined && !this.failures.hasMessage) this.failures.read(reason);
    const isError = this.#lines.length > 0 || ERROR.test(line);
    if (isError && this.#lines.length < MAX_LINES) this.#lines.push(line);
  }

  /** Uses the lines for a failure, or forgets them. */
  #end(failed: Failed | undefined): void {
    if (failed === undefined) this.failures.end();
    else {
      this.failures.begin(failed);
      for (const line of this.#lines) this.failures.read(line.replace(/^error: /, ""));
    }
    this.#lines = [];
  }
}
