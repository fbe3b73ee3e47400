/**
 * Finds the failures, the tests that passed and the numbers of tests in the output of Jest and of Mocha's default
 * reporter.
 */
import * as runners from "@/node/services/gauntlet/gates/findings/formats/javascript/BaseRunnerReader";
import { testName } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const SUITE = /^( +)(\S.*)$/;

/** The result of a file, perhaps with the name of its project. */
const FILE = /^ ?(PASS|FAIL) +(?:([^\s./]+) +)?(\S.*\.\w+)(?: \([^()]*\))?$/;
const HEADING = /^ {2}● (.*)$/;
const JEST_TREE = /^( +)(?:(✓|√)|(?:✕|×|○|✎)) (.*)$/;
const JEST_SUMMARY = /^Tests: {2,}(\d.*), \d+ total$/;
const SEPARATOR = " › ";

/** Jest names the tests that passed if it runs one file or with `--verbose`. */
export class JestReader extends runners.BaseRunnerReader {
  #file:
    | { readonly path: string; readonly project: string; readonly hasFailed: boolean }
    | undefined;
  #isInTree = false;
  /** The failures are printed a second time at the end of a long run. */
  #isRepeated = false;

  read(line: string): void {
    const [, result, project = "", path] = FILE.exec(line) ?? [];
    if (path !== undefined && !path.includes(" > ")) {
      this.end();
      this.#file = { path, project, hasFailed: result === "FAIL" && !this.#isRepeated };
      this.#isInTree = true;
      this.suites = [];
      return;
    }
    if (line === "Summary of all failing tests") this.#isRepeated = true;
    if (line.startsWith("Test Suites: ")) {
      this.end();
      this.#file = undefined;
      this.#isRepeated = false;
    }
    this.tally.sumWords(JEST_SUMMARY.exec(line)?.[1] ?? "", ",");
    if (this.#file === undefined) return;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) this.#begin(heading);
    else if (this.#isInTree) this.#readTree(line);
    else this.readText(line);
  }

  #begin(heading: string): void {
    this.#isInTree = false;
    this.end();
    const { path: file, project = "", hasFailed } = this.#file ?? {};
    // The lines that the tests printed have a heading as well.
    if (hasFailed !== true || heading === "Console") return;
    if (heading === "Test suite failed to run") this.begin({ file });
    else this.begin({ file, rule: heading, test: idOf(project, [heading]) });
  }

  #readTree(line: string): void {
    if (line === "") this.#isInTree = false;
    const [, indent = "", passed, name = ""] = JEST_TREE.exec(line) ?? [];
    if (passed !== undefined && this.#file !== undefined && !this.#isRepeated) {
      const { path, project } = this.#file;
      const parts = this.pathOf(indent.length / 2 - 1, runners.withoutDuration(name));
      this.tally.pass({ file: path, test: idOf(project, parts) });
    }
    const [, outer = "", suite] = indent === "" ? (SUITE.exec(line) ?? []) : [];
    if (suite !== undefined) this.suites = this.pathOf(outer.length / 2 - 1, suite);
  }
}

/** A name with the separator is the same in the tree and in a heading. */
function idOf(project: string, parts: readonly string[]): string {
  return testName([project, ...parts.join(SEPARATOR).split(SEPARATOR)]);
}

const MOCHA_TREE = /^( +)(?:(✔|✓|√)|\d+\)|-) (.*)$/;
const MOCHA_SUMMARY = /^ {2}(\d+) (passing|pending|failing)(?: \([^()]*\))?$/;
const NUMBERED = /^ {2}\d+\) (.*)$/;
const MAX_DEPTH = 100;
const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const CRASH = /^ ?Exception during run: *(.*)$/;
/** The path of the test that was too slow, which has no stack trace. */
const TIMEOUT = /^ +Error: Timeout of .*\((\/[^()]*)\)$/;

export class MochaReader extends runners.BaseRunnerReader {
  /** The number of failures that are still to come, below their count. */
  #left = 0;
  #isOpen = false;
  /** The parts of the heading that is being read. */
  #heading: string[] | undefined;

  read(line: string): void {
    const [, count, word] = MOCHA_SUMMARY.exec(line) ?? [];
    const crash = CRASH.exec(line)?.[1];
    if (count !== undefined) {
      if (word === "passing") this.tally.keepNames(Number(count));
      this.tally.sumWord(count, word);
      this.end();
      this.#isOpen = false;
      this.#left = word === "failing" ? Number(count) : 0;
    } else if (crash !== undefined) {
      this.begin({});
      this.readText(crash);
      this.#isOpen = true;
      this.#left = 0;
    } else if (this.#left > 0 || this.#heading !== undefined) this.#readFailure(line);
    else this.#readTree(line);
  }

  #readFailure(line: string): void {
    const first = this.#left > 0 ? NUMBERED.exec(line)?.[1] : undefined;
    const parts = this.#heading;
    if (first !== undefined) {
      this.end();
      this.#heading = [first];
      this.#left--;
    } else if (parts !== undefined) {
      const indent = " ".repeat(5 + parts.length * 2);
      const part = line.startsWith(indent) ? line.slice(indent.length) : "";
      if (/^\S/.test(part) && parts.length < MAX_DEPTH) parts.push(part);
      else this.#begin(parts, line);
    } else this.readText(line);
  }

  /** @param line the first one below the heading */
  #begin(parts: readonly string[], line: string): void {
    this.#heading = undefined;
    const last = parts.at(-1)?.replace(/:$/, "") ?? "";
    const name = testName([...parts.slice(0, -1), last]);
    const file = TIMEOUT.exec(line)?.[1];
    this.begin({ file, rule: name, test: HOOK.test(last) ? undefined : name });
    this.#isOpen = true;
    this.readText(line);
  }

  /** Reads the tests of a run, which may follow the last failure of an earlier one. */
  #readTree(line: string): void {
    // All lines of a failure are indented.
    if (/^\S/.test(line)) this.#isOpen = false;
    if (this.#isOpen) this.readText(line);
    const [, indent = "", passed, name = ""] = MOCHA_TREE.exec(line) ?? [];
    if (passed !== undefined) {
      const parts = this.pathOf(indent.length / 2 - 1, runners.withoutDuration(name));
      this.tally.pass({ test: testName(parts) });
    }
    const [, outer = "", suite] = indent === "" ? (SUITE.exec(line) ?? []) : [];
    if (suite === undefined || outer.length % 2 !== 0) return;
    this.suites = this.pathOf(outer.length / 2 - 1, suite);
  }
}
