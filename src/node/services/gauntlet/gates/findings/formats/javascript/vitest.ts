/** Finds the failures of Vitest, and the tests that passed, as far as its output has their whole names. */
import {
  RunnerReader,
  type Failed,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";
import { testName } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

const START = /^ (?:RUN|DEV) +v\d/;
const SECTION = /^⎯+ ([A-Z][A-Za-z ]*?)(?: \d+)? ⎯+$/;
/** Sections that are an error, rather than a list of failures. */
const ERROR = /^(?:Unhandled|Uncaught|Startup) (?!Errors$)/;
const HEADING = /^ FAIL +(\S.*)$/;
const RULER = /^⎯+(?:\[\d+\/\d+\]⎯+)?$/;
/** A file of the default reporter, and a test of the verbose one, perhaps with a project: `|unit| a.test.ts`. */
const RESULT = /^ (?:✓|❯|×) +(\S.*)$/;
const FILE_RESULT = /^(.*) \(\d+ tests?(?: [^()]*)?\)/;
/** A test outside of all suites. Those inside are indented further, below no name of a suite. */
const OUTER_TEST = /^ {3}✓ (\S.*)$/;
const SUMMARY = /^ +Tests {2}(\d.*) \(\d+\)$/;
/** After the name of a test: how often it was repeated, and its duration. */
const REPEATED = / \((?:retry|repeat) x\d+\)$/;
const DURATION = / \d+(?:\.\d+)?m?s$/;
const SEPARATOR = " > ";

export class VitestReader extends RunnerReader {
  #isStarted = false;
  #section = "";
  #isOpen = false;
  #file: Named = { path: "", project: "" };

  read(line: string): void {
    if (START.test(line)) {
      this.#isStarted = true;
      this.#end("");
    }
    if (!this.#isStarted) return;
    const section = SECTION.exec(line)?.[1];
    const heading = HEADING.exec(line)?.[1];
    const summary = SUMMARY.exec(line)?.[1];
    if (section !== undefined) this.#begin(section);
    else if (heading !== undefined) this.#readHeading(heading);
    else if (RULER.test(line)) this.#end(this.#section);
    else if (summary !== undefined) this.tally.addAll(summary, "|");
    else if (this.#isOpen) this.failures.read(line);
    else if (this.#section === "") this.#readResult(line);
  }

  #begin(section: string): void {
    this.#end(section);
    if (!ERROR.test(section)) return;
    this.#isOpen = true;
    this.failures.begin({});
  }

  #end(section: string): void {
    this.failures.end();
    this.#isOpen = false;
    this.#section = section;
  }

  #readHeading(heading: string): void {
    const failed = this.#failedOf(heading);
    if (this.#isOpen && !this.failures.hasMessage) this.failures.also(failed);
    else this.failures.begin(failed);
    this.#isOpen = true;
  }

  #failedOf(heading: string): Failed {
    const separator = heading.indexOf(SEPARATOR);
    if (separator === -1) return { file: named(heading.replace(/ \[ .*$/, "")).path };
    const { path: file, project } = named(heading.slice(0, separator));
    const rule = heading.slice(separator + SEPARATOR.length);
    const isTest = this.#section === "Failed Tests";
    return { file, rule, test: isTest ? testName([project, rule]) : undefined };
  }

  #readResult(line: string): void {
    const outer = OUTER_TEST.exec(line)?.[1];
    if (outer !== undefined) this.#name(this.#file, outer);
    const result = RESULT.exec(line)?.[1];
    if (result === undefined) return;
    const file = FILE_RESULT.exec(result)?.[1];
    if (file !== undefined) {
      this.#file = named(file);
      return;
    }
    const separator = result.indexOf(SEPARATOR);
    if (separator === -1 || !line.startsWith(" ✓")) return;
    this.#name(named(result.slice(0, separator)), result.slice(separator + SEPARATOR.length));
  }

  #name({ path, project }: Named, text: string): void {
    const name = text.replace(DURATION, "").replace(REPEATED, "");
    this.tally.name({ file: path, test: testName([project, name]) });
  }
}

interface Named {
  readonly path: string;
  readonly project: string;
}

/** Splits `|unit| a.test.ts`, which is ` unit  a.test.ts` in color, into the project and the file. */
function named(text: string): Named {
  const end = text.startsWith("|") ? text.indexOf("| ", 1) : text.indexOf("  ");
  if (end === -1) return { path: text, project: "" };
  const project = text.slice(text.startsWith("|") ? 1 : 0, end).trim();
  return { path: text.slice(end + 2).trim(), project };
}
