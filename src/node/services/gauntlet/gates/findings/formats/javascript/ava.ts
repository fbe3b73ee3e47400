/** Finds the failures, the tests that passed and the numbers of tests in the output of AVA's default reporter. */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { positionInTrace } from "@/node/services/gauntlet/gates/findings/formats/stackTraces";

const PASSED = /^ {2}[✔✓√] (?:\[expected fail\] )?(\S.*?)(?: \(\d[\d. hms]*[hms]\))?$/;
const FAILED = /^ {2}[✘✖×] \[fail\]: (\S.*)$/;
const SKIPPED = /^ {2}- \[(?:skip|todo)\] /;
const RULER = /^ {2}─+$/;
/** Only below a ruler: other tools print such lines as well. */
const SUMMARY = /^ {2}\d+ (?:tests? (?:passed|failed)|known failures?)$/;
const HEADING = /^ {2}(\S.*)$/;
const PLACE = /^ {2}(\S+\.[cm]?[jt]sx?):(\d+)$/;
const CRASH = /^ {2}(?:Uncaught exception|Unhandled rejection) in (\S.*)$/;
const WITHOUT_TESTS = /^ {2}[✘✖×] (No tests found) in (\S[^,]*)/;
const MAX_TRACE_LINES = 60;

interface Failure {
  /** The title, and the message behind it. */
  readonly text: string;
  title?: string;
  file?: string;
  line?: number | undefined;
  readonly trace: string[];
}

export class AvaReader implements reader.LineReader {
  hasMore = false;
  readonly #failures: Failure[] = [];
  readonly #others: reader.RawFinding[] = [];
  readonly tally = new reader.TestTally();
  /** The tests that passed and were skipped, until a summary shows that this is AVA's output. */
  #passed: string[] = [];
  #skipped = 0;
  #hasRuler = false;
  /** The index of the failure whose details are next. */
  #next = 0;
  #hasDetails = false;
  #current: Failure | undefined;
  #crashed: string | undefined;

  get all(): reader.RawFinding[] {
    return [...this.#others, ...this.#failures.map(findingOf)];
  }

  read(line: string): void {
    const found = this.#failures.length + this.#others.length;
    this.hasMore ||= Math.max(found, this.#passed.length) >= reader.MAX_RAW_FINDINGS;
    if (this.hasMore) return;
    const failed = FAILED.exec(line)?.[1];
    const passed = failed === undefined ? PASSED.exec(line)?.[1] : undefined;
    if (failed !== undefined) {
      this.tally.fail(failed);
      this.#failures.push({ text: failed, trace: [] });
      this.#hasDetails = false;
    } else if (passed !== undefined) this.#passed.push(passed);
    else if (SKIPPED.test(line)) this.#skipped++;
    else if (RULER.test(line)) {
      this.#hasRuler = true;
      this.#hasDetails = !this.#hasDetails;
      this.#current = undefined;
    } else if (this.#hasRuler && SUMMARY.test(line)) this.#endRun();
    else if (this.#hasDetails) this.#readDetails(line);
    else this.#readCrash(line);
  }

  #endRun(): void {
    for (const test of this.#passed) this.tally.pass({ test });
    for (let i = 0; i < this.#skipped; i++) this.tally.skip();
    this.#passed = [];
    this.#skipped = 0;
    this.#hasRuler = false;
    this.#hasDetails = false;
  }

  /** The details are in the order of the failures, each below its title. */
  #readDetails(line: string): void {
    const next = this.#failures[this.#next];
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined && next?.text.startsWith(heading) === true) {
      next.title = heading;
      this.#current = next;
      this.#next++;
      return;
    }
    const current = this.#current;
    if (current === undefined) return;
    const [, file, at] = PLACE.exec(line) ?? [];
    if (file !== undefined && current.file === undefined) {
      current.file = file;
      current.line = reader.positionOf(at);
    } else if (current.trace.length < MAX_TRACE_LINES) current.trace.push(line);
  }

  #readCrash(line: string): void {
    const [, message, empty] = WITHOUT_TESTS.exec(line) ?? [];
    if (message !== undefined && empty !== undefined) {
      this.#others.push({ file: empty, severity: "error", message });
    }
    const text = HEADING.exec(line)?.[1];
    if (this.#crashed !== undefined && text !== undefined) {
      this.#others.push({ file: this.#crashed, severity: "error", message: text });
      this.#crashed = undefined;
    }
    this.#crashed = CRASH.exec(line)?.[1] ?? this.#crashed;
  }
}

function findingOf({ text, title = text, file, line, trace }: Failure): reader.RawFinding {
  const place = file === undefined ? positionInTrace(trace.join("\n")) : { file, line };
  const rest = text.slice(title.length).trim();
  const error = trace.find((one) => /^ {2}\w*Error: /.test(one))?.trim();
  const message = error ?? (rest === "" ? "failed" : rest);
  return { ...place, severity: "error", rule: title, test: title, message };
}
