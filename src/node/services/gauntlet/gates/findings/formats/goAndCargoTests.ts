/**
 * Finds the failures, the tests that passed and the numbers of tests in the output of `go test` and `cargo test`, and
 * the panics of other programs in Rust.
 */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";

/** With -v, a test's lines are between these two; otherwise they follow the second one. */
const GO_STARTED = /^=== (?:RUN|CONT|NAME)\s+(\S+)/;
const GO_ENDED = /^\s*--- (FAIL|PASS|SKIP): (\S+)/;
const LOGGED = /^\s+([^\s:][^\s:]*\.go):(\d+): *(.*)$/;
/** testify prints its error below a line with a position and no text. */
const ERROR_BELOW = /^\s+Error: +\t?(\S.*)$/;
/** The result of a package ends its lines. */
const PACKAGE = /^(FAIL|ok)\s+(\S+)\s+(\d|\(cached\)|\[)/;
const NO_TESTS = /^(?:\?|ok) +\t\S+\t.*\[no test(?: file|s to run|s)/;
const GO_PANIC = /^panic: (.*?)(?: \[recovered\])?$/;
/** A frame of a stack trace, below the name of its function. */
const FRAME = /^\t(\/[^:]*\.go):(\d+)(?: \+0x[0-9a-f]+)?$/;
const RUNTIME_FRAME = /\/src\/(?:runtime|testing)\//;
/** The maximum depth of subtests. A test with deeper ones is a failure of its own. */
const MAX_DEPTH = 16;

export class GoTestReader implements reader.LineReader {
  hasMore = false;
  /** The number of problems, and of lines of tests in the current package, failed or not. */
  #size = 0;
  readonly #found: reader.RawFinding[] = [];
  /** The failures of the current package. */
  #failures: reader.RawFinding[] = [];
  /** The lines of each test that has not ended. */
  readonly #running = new Map<string, reader.RawFinding[]>();
  /** The tests of the current package, in the order in which they ended. */
  #ended: { readonly name: string; readonly outcome: string }[] = [];
  #test: { readonly name: string; readonly hasFailed: boolean } | undefined;
  #panic: string | undefined;
  readonly #tally = new reader.TestTally();
  /** Without -v, the tests of a package that passed are not named. */
  #hasUnnamed = false;
  #hasNone = false;
  #isVerbose = false;

  get all(): reader.RawFinding[] {
    return [...this.#found, ...this.#complete("")];
  }

  get tally(): { readonly run: reader.TestRun | undefined } {
    const none = this.#hasNone && !this.#hasUnnamed && this.#tally.run === undefined;
    const empty = none ? { passed: 0, failed: 0, skipped: 0, names: [] } : undefined;
    const { run = empty } = this.#tally;
    return { run: run && (this.#isVerbose || none ? run : { ...run, isPartial: true }) };
  }

  read(line: string): void {
    const isEmpty = NO_TESTS.test(line);
    this.#hasNone ||= isEmpty;
    this.hasMore ||= this.#size >= reader.MAX_RAW_FINDINGS;
    if (this.hasMore) return;
    const [, result, goPackage, time = ""] = PACKAGE.exec(line) ?? [];
    if (goPackage !== undefined) {
      if (this.#ended.length === 0 && result === "ok" && !isEmpty) this.#hasUnnamed = true;
      this.#endPackage(goPackage, result === "FAIL" && /\d/.test(time));
      return;
    }
    const started = GO_STARTED.exec(line)?.[1];
    if (started !== undefined) {
      this.#isVerbose = true;
      this.#test = { name: started, hasFailed: false };
    }
    const [, outcome, ended] = GO_ENDED.exec(line) ?? [];
    if (ended !== undefined && outcome !== undefined) this.#endTest(ended, outcome);
    this.#panic ??= GO_PANIC.exec(line)?.[1];
    this.#readFrame(line);
    const logged = LOGGED.exec(line);
    if (logged !== null) this.#add(problem(logged, this.#test?.name, logged[3] ?? ""));
    const below = ERROR_BELOW.exec(line)?.[1];
    if (below !== undefined) this.#completeLast(below);
  }

  #endTest(name: string, outcome: string): void {
    const hasFailed = outcome === "FAIL";
    if (hasFailed) this.#failures.push(...(this.#running.get(name) ?? []));
    this.#running.delete(name);
    this.#test = hasFailed ? { name, hasFailed } : undefined;
    this.#ended.push({ name, outcome });
    this.#size++;
  }

  #endPackage(goPackage: string, hasFailed: boolean): void {
    const found = this.#complete(goPackage);
    this.#found.push(...found);
    if (hasFailed && found.length === 0) {
      const message = "the package failed, and none of its tests";
      this.#found.push({ severity: "error", rule: goPackage, message });
    }
    for (const { name, outcome } of this.#ended) {
      const test = idOf(name, goPackage);
      if (outcome === "PASS") this.#tally.pass({ test });
      else if (outcome === "FAIL") this.#tally.fail(test);
      else this.#tally.skip();
    }
    this.#size = this.#found.length;
    this.#failures = [];
    this.#ended = [];
    this.#running.clear();
    this.#test = undefined;
    this.#panic = undefined;
  }

  /** Returns the failures of the current package, with those of the tests that printed nothing. */
  #complete(goPackage: string): reader.RawFinding[] {
    const named = new Set(this.#failures.map(({ rule }) => rule));
    const failed = this.#ended.flatMap(({ name, outcome }) => (outcome === "FAIL" ? [name] : []));
    for (const name of failed) {
      const parts = name.split("/", MAX_DEPTH);
      for (const i of parts.keys()) named.add(parts.slice(0, i).join("/"));
    }
    const silent = failed.filter((name) => !named.has(name));
    const all: readonly reader.RawFinding[] = [
      ...this.#failures,
      ...silent.map((rule) => ({ severity: "error", rule, message: "failed" }) as const),
    ];
    return all.map((one) => ({
      ...one,
      goPackage: goPackage === "" ? undefined : goPackage,
      test: one.rule === undefined ? undefined : idOf(one.rule, goPackage),
    }));
  }

  #readFrame(line: string): void {
    const frame = this.#panic === undefined ? null : FRAME.exec(line);
    if (frame === null || RUNTIME_FRAME.test(line)) return;
    this.#failures.push(problem(frame, this.#test?.name, `panic: ${this.#panic ?? ""}`));
    this.#panic = undefined;
    this.#size++;
  }

  #add(finding: reader.RawFinding): void {
    if (this.#test === undefined) return;
    const list = this.#linesOf(this.#test);
    if (!this.#test.hasFailed) this.#running.set(this.#test.name, list);
    list.push(finding);
    this.#size++;
  }

  #completeLast(message: string): void {
    const list = this.#test === undefined ? [] : this.#linesOf(this.#test);
    const last = list.at(-1);
    if (last?.message === "") list[list.length - 1] = { ...last, message };
  }

  #linesOf({ name, hasFailed }: { readonly name: string; readonly hasFailed: boolean }) {
    return hasFailed ? this.#failures : (this.#running.get(name) ?? []);
  }
}

/** Returns the name of a test. Packages may have tests with the same name. */
function idOf(test: string, goPackage: string): string {
  return reader.testName([goPackage, ...test.split("/")]);
}

function problem([, file, line]: RegExpExecArray, rule: string | undefined, message: string) {
  return { file, line: reader.positionOf(line) ?? 1, severity: "error", rule, message } as const;
}

/** The program of a target, whose name ends with a hash. Crates may have tests with the same name. */
const RUNNING = /^ +Running (?:unittests )?\S+ \((\S+)-[0-9a-f]{16}(?:\.exe)?\)$/;
const DOC_TESTS = /^ +Doc-tests (\S+)$/;
const CARGO_STARTED = /^running \d+ tests?$/;
const CARGO_ENDED = /^test (\S.*) \.\.\. (ok|FAILED|ignored)(?:[ ,<].*)?$/;
/** Such as `test tests::panics - should panic ... ok`. Other lines do not have it. */
const EXPECTATION = / - (?:should panic|compile fail|compile)$/;
const DOC_LINE = / \(line \d+\)$/;
const SECTION = /^---- (\S.*) stdout ----$/;
const RESULT = /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;/;
const CARGO_PANIC = /^thread '([^']*)' (?:\(\d+\) )?panicked at (\S.*?):(\d+):(\d+):$/;
/** Before Rust 1.73, the message is first, and may have several lines. */
const OLD_PANIC = /^thread '([^']*)' panicked at '(.*)$/;
const OLD_POSITION = /', ([^\s':]+):(\d+):(\d+)$/;
const POSITION = / at ([^\s:]+):(\d+):(\d+)$/;
const DIAGNOSTIC = /^error(?:\[\w+\])?: /;

interface Panic {
  readonly thread: string;
  readonly message: string;
  readonly place: reader.Position;
}

export class CargoTestReader extends reader.TestReader {
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
    if (CARGO_STARTED.test(line)) this.#isRunning = true;
    if (this.#readPanic(line)) return;
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined || line === "failures:") this.#endSection();
    if (section !== undefined) this.#section = { name: section, first: "", hasFinding: false };
    else if (this.#section?.first === "") this.#section.first = line;
    this.#readOutcome(line);
  }

  /** Returns whether the line belongs to a panic. */
  #readPanic(line: string): boolean {
    const [, thread, file, at, column] = CARGO_PANIC.exec(line) ?? [];
    const [, oldThread, oldText] = OLD_PANIC.exec(line) ?? [];
    if (thread !== undefined) {
      this.#panic = { thread, message: "", place: reader.placeAt(file, at, column) };
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
    this.#addPanic({ ...panic, message, place: reader.placeAt(end[1], end[2], end[3]) });
  }

  #addPanic({ thread, message, place }: Panic): void {
    this.#panic = undefined;
    const isTest = this.#isRunning && thread !== "main" && thread !== "<unnamed>";
    const name = this.#section?.name ?? (isTest ? thread : undefined);
    if (this.#section !== undefined) this.#section.hasFinding = true;
    this.#add(name, { ...place, severity: "error", rule: name ?? thread, message });
  }

  #readOutcome(line: string): void {
    const [, text, outcome] = CARGO_ENDED.exec(line) ?? [];
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
    const place = reader.placeAt(file, line, column);
    this.#add(name, { ...place, severity: "error", rule: name, message });
  }

  #add(name: string | undefined, finding: reader.RawFinding): void {
    const test = name === undefined ? undefined : this.#idOf(name);
    if (name !== undefined) this.#reported.add(name);
    this.add({ ...finding, test });
  }

  /** A test in the documentation has the path of its file, the item and its line, which changes. */
  #idOf(name: string): string {
    const parts = name.includes(" - ") ? [name.replace(DOC_LINE, "")] : name.split("::");
    return reader.testName([this.#target, ...parts]);
  }
}
