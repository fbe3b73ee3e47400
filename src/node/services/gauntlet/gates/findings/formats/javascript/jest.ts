/** Finds the failures of Jest, and the tests that passed, which it names if it runs one file or with `--verbose`. */
import {
  RunnerReader,
  withoutDuration,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";
import { testName } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

/** The result of a file, perhaps with the name of its project. */
const FILE = /^ ?(PASS|FAIL) +(?:([^\s./]+) +)?(\S.*\.\w+)(?: \([^()]*\))?$/;
const HEADING = /^ {2}● (.*)$/;
const TREE = /^( +)(?:(✓|√)|(?:✕|×|○|✎)) (.*)$/;
const SUITE = /^( +)(\S.*)$/;
const SUMMARY = /^Tests: {2,}(\d.*), \d+ total$/;
const SEPARATOR = " › ";
/** The heading of the lines that the tests printed. */
const PRINTED = "Console";
const NOT_RUN = "Test suite failed to run";

export class JestReader extends RunnerReader {
  #file:
    | { readonly path: string; readonly project: string; readonly hasFailed: boolean }
    | undefined;
  #isInTree = false;
  /** The failures are printed a second time at the end of a long run. */
  #isRepeated = false;
  #suites: string[] = [];

  read(line: string): void {
    const [, result, project = "", path] = FILE.exec(line) ?? [];
    if (path !== undefined && !path.includes(" > ")) {
      this.failures.end();
      this.#file = { path, project, hasFailed: result === "FAIL" && !this.#isRepeated };
      this.#isInTree = true;
      this.#suites = [];
      return;
    }
    if (line === "Summary of all failing tests") this.#isRepeated = true;
    if (line.startsWith("Test Suites: ")) this.#endRun();
    const summary = SUMMARY.exec(line)?.[1];
    if (summary !== undefined) this.tally.addAll(summary, ",");
    if (this.#file === undefined) return;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) this.#begin(heading);
    else if (this.#isInTree) this.#readTree(line);
    else this.failures.read(line);
  }

  #begin(heading: string): void {
    this.#isInTree = false;
    this.failures.end();
    const { path: file, project = "", hasFailed } = this.#file ?? {};
    if (hasFailed !== true || heading === PRINTED) return;
    if (heading === NOT_RUN) this.failures.begin({ file });
    else this.failures.begin({ file, rule: heading, test: idOf(project, [heading]) });
  }

  #readTree(line: string): void {
    if (line === "") this.#isInTree = false;
    const [, indent = "", passed, name = ""] = TREE.exec(line) ?? [];
    if (passed !== undefined && this.#file !== undefined && !this.#isRepeated) {
      const { path, project } = this.#file;
      const parts = [...this.#suites.slice(0, indent.length / 2 - 1), withoutDuration(name)];
      this.tally.name({ file: path, test: idOf(project, parts) });
    }
    const [, outer = "", suite] = indent === "" ? (SUITE.exec(line) ?? []) : [];
    if (suite !== undefined) this.#suites = [...this.#suites.slice(0, outer.length / 2 - 1), suite];
  }

  #endRun(): void {
    this.failures.end();
    this.#file = undefined;
    this.#isRepeated = false;
  }
}

/** A name with the separator is the same in the tree and in a heading. */
function idOf(project: string, parts: readonly string[]): string {
  return testName([project, ...parts.join(SEPARATOR).split(SEPARATOR)]);
}
