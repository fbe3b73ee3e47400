/** Finds the failures in the output of Playwright's reporters `list`, `line` and `dot`, and the tests that passed. */
import type { Matcher } from "@/node/services/gauntlet/domain/findings/finding";
import {
  RunnerReader,
  withoutDuration,
  type Failed,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";
import { positionOf, testName } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

/** An error outside of all tests, such as one in a file that cannot be loaded. */
export const PLAYWRIGHT_ERRORS: readonly Matcher[] = [
  {
    pattern: [
      { regexp: String.raw`^(\w*Error: .*)$`, message: 1 },
      { regexp: "^$" },
      { regexp: String.raw`^ {3}at (\S.*?):(\d+)$`, file: 1, line: 2 },
    ],
  },
];

const START = /^Running \d+ tests? using \d+ workers?/;
const HEADING = /^ {2}\d+\) (\S.*)$/;
const RULER = / ─+$/;
const PASSED = /^ +(?:✓|ok) +\d+ (\S.*)$/;
/** The heading of a later attempt, whose failure is the same, or of what the test printed. */
const FURTHER = /^ {4}\S.* ─+$/;
const RESULT = /^ +(?:✓|✘|-|ok|x) +\d+ |^\[\d+\/\d+\] /;
const SUMMARY =
  /^ {2}(\d+) (failed|interrupted|flaky|skipped|did not run|passed)(?: \([\d.]+m?[smh]\))?$/;
const LISTED = /^ {4}(\S.*) ─+$/;
const RETRY = / \(retry #\d+\)$/;
const PLACE = /^(.*\.\w+):(\d+):(\d+)$/;

export class PlaywrightReader extends RunnerReader {
  /** Tests that passed in a later attempt. */
  readonly #flaky = new Set<string>();
  #isStarted = false;
  #isOpen = false;
  /** The part of the summary whose tests are listed. */
  #listed: string | undefined;

  override get all() {
    return this.failures.all.map((one) =>
      one.test !== undefined && this.#flaky.has(one.test)
        ? { ...one, severity: "warning" as const, test: undefined }
        : one
    );
  }

  read(line: string): void {
    if (START.test(line)) this.#isStarted = true;
    if (!this.#isStarted) return;
    const heading = failedOf((HEADING.exec(line)?.[1] ?? "").replace(RULER, ""));
    const [, count, word] = SUMMARY.exec(line) ?? [];
    if (heading.test !== undefined) {
      this.failures.begin(heading);
      this.#isOpen = true;
      this.#listed = undefined;
    } else if (count !== undefined) {
      this.#end();
      this.tally.add(count, word);
      this.#listed = word;
    } else if (this.#listed === "flaky") this.#readFlaky(line);
    else if (FURTHER.test(line) || RESULT.test(line)) {
      this.#end();
      const passed = PASSED.exec(line)?.[1];
      if (passed !== undefined) this.#name(withoutDuration(passed).replace(RETRY, ""));
    } else if (this.#isOpen) this.failures.read(line);
  }

  #end(): void {
    this.failures.end();
    this.#isOpen = false;
  }

  #name(text: string): void {
    const { file, test } = failedOf(text);
    if (test !== undefined) this.tally.name({ file, test });
  }

  #readFlaky(line: string): void {
    const test = failedOf(LISTED.exec(line)?.[1] ?? "").test;
    if (test !== undefined) this.#flaky.add(test);
  }
}

/** Splits `[project] › a.spec.ts:1:2 › suite › name`. A project is a part of the test's name. */
function failedOf(title: string): Failed {
  const parts = title.split(" › ");
  const at = parts.findIndex((part) => PLACE.test(part));
  const [, file, line, column] = PLACE.exec(parts[at] ?? "") ?? [];
  const names = parts.filter((_, i) => i !== at);
  const place = { file, line: positionOf(line), column: positionOf(column) };
  return {
    ...place,
    rule: names.slice(Math.max(at, 0)).join(" › "),
    test: file === undefined ? undefined : testName(names),
  };
}
