/**
 * Finds the failures and the numbers of tests in the output of Vitest and of Playwright's reporters `list`, `line` and
 * `dot`, and the tests that passed, as far as the output has their whole names. Flaky tests of Playwright are warnings.
 */
import * as runners from "@/node/services/gauntlet/gates/findings/formats/javascript/BaseRunnerReader";
import { placeAt, testName } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const VITEST_START = /^ (?:RUN|DEV) +v\d/;
const SECTION = /^⎯+ ([A-Z][A-Za-z ]*?)(?: \d+)? ⎯+$/;
/** Sections that are an error, rather than a list of failures. */
const ERROR = /^(?:Unhandled|Uncaught|Startup) (?!Errors$)/;
const VITEST_HEADING = /^ FAIL +(\S.*)$/;
const VITEST_RULER = /^⎯+(?:\[\d+\/\d+\]⎯+)?$/;
/** A file of the default reporter, and a test of the verbose one, perhaps with a project: `|unit| a.test.ts`. */
const VITEST_RESULT = /^ (?:✓|❯|×) +(\S.*)$/;
const FILE_RESULT = /^(.*) \(\d+ tests?(?: [^()]*)?\)/;
/** A test outside of all suites. Those inside are indented further, below no name of a suite. */
const OUTER_TEST = /^ {3}✓ (\S.*)$/;
const VITEST_SUMMARY = /^ +Tests {2}(\d.*) \(\d+\)$/;
/** After the name of a test: how often it was repeated, and its duration. */
const REPEATED = / \((?:retry|repeat) x\d+\)$/;
/** After a file, if Vitest reports the locations of tests, as it does for its page. */
const LOCATION = /:\d+:\d+$/;
const DURATION = / \d+(?:\.\d+)?m?s$/;

export class VitestReader extends runners.BaseRunnerReader {
  #isStarted = false;
  #section = "";
  #isOpen = false;
  #file: ProjectFile = { path: "", project: "" };

  read(line: string): void {
    if (VITEST_START.test(line)) {
      this.#isStarted = true;
      this.#end("");
    }
    if (!this.#isStarted) return;
    const section = SECTION.exec(line)?.[1];
    const heading = VITEST_HEADING.exec(line)?.[1];
    const summary = VITEST_SUMMARY.exec(line)?.[1];
    if (section !== undefined) this.#begin(section);
    else if (heading !== undefined) this.#readHeading(heading);
    else if (VITEST_RULER.test(line)) this.#end(this.#section);
    else if (summary !== undefined) this.tally.sumWords(summary, "|");
    else if (this.#isOpen) this.readText(line);
    else if (this.#section === "") this.#readResult(line);
  }

  #begin(section: string): void {
    this.#end(section);
    if (!ERROR.test(section)) return;
    this.#isOpen = true;
    this.begin({});
  }

  #end(section: string): void {
    this.end();
    this.#isOpen = false;
    this.#section = section;
  }

  #readHeading(heading: string): void {
    const failed = this.#failedOf(heading);
    if (this.#isOpen && !this.hasMessage) this.also(failed);
    else this.begin(failed);
    this.#isOpen = true;
  }

  #failedOf(heading: string): runners.Failed {
    const separator = heading.indexOf(" > ");
    if (separator === -1) return { file: projectFile(heading.replace(/ \[ .*$/, "")).path };
    const { path: file, project } = projectFile(heading.slice(0, separator));
    const rule = heading.slice(separator + 3);
    const isTest = this.#section === "Failed Tests";
    return { file, rule, test: isTest ? testName([project, rule]) : undefined };
  }

  #readResult(line: string): void {
    const outer = OUTER_TEST.exec(line)?.[1];
    if (outer !== undefined) this.#pass(this.#file, outer);
    const result = VITEST_RESULT.exec(line)?.[1];
    if (result === undefined) return;
    const file = FILE_RESULT.exec(result)?.[1];
    if (file !== undefined) {
      this.#file = projectFile(file);
      return;
    }
    const separator = result.indexOf(" > ");
    if (separator === -1 || !line.startsWith(" ✓")) return;
    this.#pass(projectFile(result.slice(0, separator)), result.slice(separator + 3));
  }

  #pass({ path, project }: ProjectFile, text: string): void {
    const name = text.replace(REPEATED, "").replace(DURATION, "");
    this.tally.pass({ file: path, test: testName([project, name]) });
  }
}

interface ProjectFile {
  readonly path: string;
  readonly project: string;
}

/** Splits `|unit| a.test.ts`, which is ` unit  a.test.ts` in color, into the project and the file. */
function projectFile(text: string): ProjectFile {
  const end = text.startsWith("|") ? text.indexOf("| ", 1) : text.indexOf("  ");
  const project = end === -1 ? "" : text.slice(text.startsWith("|") ? 1 : 0, end).trim();
  return { path: (end === -1 ? text : text.slice(end + 2).trim()).replace(LOCATION, ""), project };
}

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

export class PlaywrightReader extends runners.BaseRunnerReader {
  /** Tests that passed in a later attempt. */
  readonly #flaky = new Set<string>();
  #isStarted = false;
  #isOpen = false;
  /** The part of the summary whose tests are listed. */
  #listed: string | undefined;

  override get all() {
    return super.all.map((one) =>
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
      this.begin(heading);
      this.#isOpen = true;
      this.#listed = undefined;
    } else if (count !== undefined) {
      this.#end();
      this.tally.sumWord(count, word);
      this.#listed = word;
    } else if (this.#listed === "flaky") {
      const { test } = failedOf(LISTED.exec(line)?.[1] ?? "");
      if (test !== undefined) this.#flaky.add(test);
    } else if (FURTHER.test(line) || RESULT.test(line)) {
      this.#end();
      const passed = PASSED.exec(line)?.[1];
      const { file, test } = failedOf(runners.withoutDuration(passed ?? "").replace(RETRY, ""));
      if (test !== undefined) this.tally.pass({ file, test });
    } else if (this.#isOpen) this.readText(line);
  }

  #end(): void {
    this.end();
    this.#isOpen = false;
  }
}

/** Splits `[project] › a.spec.ts:1:2 › suite › name`. A project is a part of the test's name. */
function failedOf(title: string): runners.Failed {
  const parts = title.split(" › ");
  const at = parts.findIndex((part) => PLACE.test(part));
  const [, file, line, column] = PLACE.exec(parts[at] ?? "") ?? [];
  const names = parts.filter((_, i) => i !== at);
  return {
    ...placeAt(file, line, column),
    rule: names.slice(Math.max(at, 0)).join(" › "),
    test: file === undefined ? undefined : testName(names),
  };
}
