/** Finds the failures of Mocha's default reporter, and the tests that passed. */
import {
  RunnerReader,
  withoutDuration,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";
import { testName } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

const TREE = /^( +)(?:(✔|✓|√)|\d+\)|-) (.*)$/;
const SUITE = /^( +)(\S.*)$/;
const SUMMARY = /^ {2}(\d+) (passing|pending|failing)(?: \([^()]*\))?$/;
const NUMBERED = /^ {2}\d+\) (.*)$/;
const MAX_DEPTH = 100;
const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const CRASH = /^ ?Exception during run: *(.*)$/;
/** The path of the test that was too slow, which has no stack trace. */
const TIMEOUT = /^ +Error: Timeout of .*\((\/[^()]*)\)$/;

export class MochaReader extends RunnerReader {
  #suites: string[] = [];
  /** The failures that are still to come, below the number of them. */
  #left = 0;
  #isOpen = false;
  /** The parts of the heading that is being read. */
  #heading: string[] | undefined;

  read(line: string): void {
    const [, count, word] = SUMMARY.exec(line) ?? [];
    const crash = CRASH.exec(line)?.[1];
    if (count !== undefined) {
      if (word === "passing") this.tally.keepNames(Number(count));
      this.tally.add(count, word);
      this.failures.end();
      this.#isOpen = false;
      this.#left = word === "failing" ? Number(count) : 0;
    } else if (crash !== undefined) {
      this.failures.begin({});
      this.failures.read(crash);
      this.#isOpen = true;
      this.#left = 0;
    } else if (this.#left > 0 || this.#heading !== undefined) this.#readFailure(line);
    else this.#readTree(line);
  }

  #readFailure(line: string): void {
    const first = this.#left > 0 ? NUMBERED.exec(line)?.[1] : undefined;
    const parts = this.#heading;
    if (first !== undefined) {
      this.failures.end();
      this.#heading = [first];
      this.#left--;
    } else if (parts !== undefined) {
      const indent = " ".repeat(5 + parts.length * 2);
      const part = line.startsWith(indent) ? line.slice(indent.length) : " ";
      if (part.startsWith(" ") || part === "" || parts.length >= MAX_DEPTH)
        this.#begin(parts, line);
      else parts.push(part);
    } else this.failures.read(line);
  }

  /** @param line the first one below the heading */
  #begin(parts: readonly string[], line: string): void {
    this.#heading = undefined;
    const names = parts.map((part, i) => (i === parts.length - 1 ? part.replace(/:$/, "") : part));
    const isHook = HOOK.test(names.at(-1) ?? "");
    const name = testName(names);
    const file = TIMEOUT.exec(line)?.[1];
    this.failures.begin({ file, rule: name, test: isHook ? undefined : name });
    this.#isOpen = true;
    this.failures.read(line);
  }

  /** Reads the tests of a run, which may follow the last failure of an earlier one. */
  #readTree(line: string): void {
    // All lines of a failure are indented.
    if (/^\S/.test(line)) this.#isOpen = false;
    if (this.#isOpen) this.failures.read(line);
    const [, indent = "", passed, name = ""] = TREE.exec(line) ?? [];
    if (passed !== undefined) {
      const suites = this.#suites.slice(0, indent.length / 2 - 1);
      this.tally.name({ test: testName([...suites, withoutDuration(name)]) });
    }
    const [, outer = "", suite] = indent === "" ? (SUITE.exec(line) ?? []) : [];
    if (suite === undefined || outer.length % 2 !== 0) return;
    this.#suites = [...this.#suites.slice(0, outer.length / 2 - 1), suite];
  }
}
