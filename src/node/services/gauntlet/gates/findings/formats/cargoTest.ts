/** Finds the failures of `cargo test`, and the panics of other programs in Rust. */
import {
  placeAt,
  testName,
  type Position,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestReader } from "@/node/services/gauntlet/gates/findings/formats/testReader";

/** The program of a target, whose name ends with a hash. Crates may have tests with the same name. */
const RUNNING = /^ +Running (?:unittests )?\S+ \((\S+)-[0-9a-f]{16}(?:\.exe)?\)$/;
const DOC_TESTS = /^ +Doc-tests (\S+)$/;
const STARTED = /^running \d+ tests?$/;
const ENDED = /^test (\S.*) \.\.\. (ok|FAILED|ignored)(?:[ ,<].*)?$/;
/** Such as `test tests::panics - should panic ... ok`. Other lines do not have it. */
const EXPECTATION = / - (?:should panic|compile fail|compile)$/;
const SECTION = /^---- (\S.*) stdout ----$/;
const RESULT = /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;/;
const PANIC = /^thread '([^']*)' (?:\(\d+\) )?panicked at (\S.*?):(\d+):(\d+):$/;
/** Before Rust 1.73, the message is first, and may have several lines. */
const OLD_PANIC = /^thread '([^']*)' panicked at '(.*)$/;
const OLD_POSITION = /', ([^\s':]+):(\d+):(\d+)$/;
const POSITION = / at ([^\s:]+):(\d+):(\d+)$/;
const DIAGNOSTIC = /^error(?:\[\w+\])?: /;

interface Panic {
  readonly thread: string;
  readonly message: string;
  readonly place: Position;
}

export class CargoTestReader extends TestReader {
  #target = "";
  #isRunning = false;
  /** The test whose output is printed, and the first line of it. */
  #section: { readonly name: string; first: string; hasFinding: boolean } | undefined;
  /** The tests of the target that failed, and those that have a finding. */
  readonly #failed = new Set<string>();
  readonly #reported = new Set<string>();
  #panic: Panic | undefined;

  protected readLine(line: string): void {
    const target = (RUNNING.exec(line) ?? DOC_TESTS.exec(line))?.[1];
    if (target !== undefined) this.#target = target.split(/[\\/]/).at(-1) ?? "";
    if (STARTED.test(line)) this.#isRunning = true;
    if (this.#readPanic(line)) return;
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined || line === "failures:") this.#endSection();
    if (section !== undefined) this.#section = { name: section, first: "", hasFinding: false };
    else if (this.#section?.first === "") this.#section.first = line;
    this.#readOutcome(line);
  }

  /** Returns whether the line belongs to a panic. */
  #readPanic(line: string): boolean {
    const [, thread, file, at, column] = PANIC.exec(line) ?? [];
    const [, oldThread, oldText] = OLD_PANIC.exec(line) ?? [];
    if (thread !== undefined) {
      this.#panic = { thread, message: "", place: placeAt(file, at, column) };
    } else if (oldThread !== undefined && oldText !== undefined) {
      this.#endOldPanic({ thread: oldThread, message: "", place: {} }, oldText);
    } else if (this.#panic?.place.file !== undefined) {
      this.#addPanic({ ...this.#panic, message: line.trim() });
    } else if (this.#panic !== undefined) {
      this.#endOldPanic(this.#panic, line);
    } else {
      return false;
    }
    return true;
  }

  /** Reads the position of an old panic, or the first line of its message. */
  #endOldPanic(panic: Panic, line: string): void {
    const end = OLD_POSITION.exec(line);
    const text = end === null ? line : line.slice(0, end.index);
    const message = panic.message === "" ? text : panic.message;
    if (end === null) {
      this.#panic = { ...panic, message };
      return;
    }
    this.#addPanic({ ...panic, message, place: placeAt(end[1], end[2], end[3]) });
  }

  #addPanic({ thread, message, place }: Panic): void {
    this.#panic = undefined;
    const isTest = this.#isRunning && thread !== "main" && thread !== "<unnamed>";
    const name = this.#section?.name ?? (isTest ? thread : undefined);
    if (this.#section !== undefined) this.#section.hasFinding = true;
    this.#add(name, { ...place, severity: "error", rule: name ?? thread, message });
  }

  #readOutcome(line: string): void {
    const [, text, outcome] = ENDED.exec(line) ?? [];
    if (text !== undefined) {
      const name = text.replace(EXPECTATION, "");
      if (outcome === "ok") this.tally.pass({ test: this.#idOf(name) });
      else if (outcome === "ignored") this.tally.skip();
      else this.#failed.add(name);
    }
    const [, passed, failed, ignored] = RESULT.exec(line) ?? [];
    if (passed === undefined) return;
    this.#endSection();
    for (const name of this.#failed) {
      if (this.#reported.has(name)) continue;
      this.#add(name, { severity: "error", rule: name, message: "failed" });
    }
    this.#failed.clear();
    this.#reported.clear();
    this.#isRunning = false;
    this.tally.sum({ passed: Number(passed), failed: Number(failed), skipped: Number(ignored) });
  }

  /** Adds the failure of a test that did not panic, such as one that returned an error. */
  #endSection(): void {
    const section = this.#section;
    this.#section = undefined;
    // The reader of the compiler's problems finds those of a test in the documentation.
    if (section === undefined || section.hasFinding || DIAGNOSTIC.test(section.first)) return;
    const { name, first } = section;
    const [end = "", file, line, column] = POSITION.exec(first) ?? [];
    const text = first.slice(first.startsWith("note: ") ? "note: ".length : 0);
    const message = text === "" ? "failed" : text.slice(0, text.length - end.length);
    this.#add(name, { ...placeAt(file, line, column), severity: "error", rule: name, message });
  }

  #add(name: string | undefined, finding: RawFinding): void {
    const test = name === undefined ? undefined : this.#idOf(name);
    if (name !== undefined) this.#reported.add(name);
    this.add({ ...finding, test });
  }

  /** A test in the documentation has the path of its file, the item and its line. */
  #idOf(name: string): string {
    return testName([this.#target, ...(name.includes(" - ") ? [name] : name.split("::"))]);
  }
}
