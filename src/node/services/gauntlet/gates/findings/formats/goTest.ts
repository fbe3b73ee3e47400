/** Finds the failures of `go test`, whose lines name a file without its folder. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  testName,
  type LineReader,
  type RawFinding,
  type TestRun,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testReader";

/** With -v, a test's lines are between these two; otherwise they follow the second one. */
const STARTED = /^=== (?:RUN|CONT|NAME)\s+(\S+)/;
const ENDED = /^\s*--- (FAIL|PASS|SKIP): (\S+)/;
const LOGGED = /^\s+([^\s:][^\s:]*\.go):(\d+): *(.*)$/;
/** testify prints its error below a line with a position and no text. */
const ERROR_BELOW = /^\s+Error: +\t?(\S.*)$/;
/** The result of a package ends its lines. */
const PACKAGE = /^(FAIL|ok)\s+(\S+)\s+(\d|\(cached\)|\[)/;
const NO_TESTS = /^(?:\?|ok) +\t\S+\t.*\[no test(?: file|s to run|s)/;
const PANIC = /^panic: (.*?)(?: \[recovered\])?$/;
/** A frame of a stack trace, below the name of its function. */
const FRAME = /^\t(\/[^:]*\.go):(\d+)(?: \+0x[0-9a-f]+)?$/;
const RUNTIME_FRAME = /\/src\/(?:runtime|testing)\//;
/** Of subtests. A test with deeper ones is a failure of its own. */
const MAX_DEPTH = 16;

export class GoTestReader implements LineReader {
  /** The number of lines of tests, failed or not. */
  #size = 0;
  readonly #found: RawFinding[] = [];
  /** Of the current package. */
  #failures: RawFinding[] = [];
  /** By test, the lines of those that have not ended. */
  readonly #running = new Map<string, RawFinding[]>();
  /** Of the current package, in the order in which they ended. */
  #ended: { readonly name: string; readonly outcome: string }[] = [];
  #test: { readonly name: string; readonly hasFailed: boolean } | undefined;
  #panic: string | undefined;
  readonly #tally = new TestTally();
  /** Without -v, the tests of a package that passed are not named. */
  #hasUnnamed = false;
  #hasNone = false;

  get all(): RawFinding[] {
    return [...this.#found, ...this.#complete("")];
  }

  get tally(): { readonly run: TestRun | undefined } {
    const none = this.#hasNone && !this.#hasUnnamed;
    const empty = none ? { passed: 0, failed: 0, skipped: 0, names: [] } : undefined;
    return { run: this.#tally.run ?? empty };
  }

  read(line: string): void {
    if (NO_TESTS.test(line)) this.#hasNone = true;
    if (this.#size >= MAX_RAW_FINDINGS) return;
    const [, result, goPackage, time = ""] = PACKAGE.exec(line) ?? [];
    if (goPackage !== undefined) {
      this.#endPackage(goPackage, result === "FAIL" && /\d/.test(time));
      return;
    }
    const started = STARTED.exec(line)?.[1];
    if (started !== undefined) this.#test = { name: started, hasFailed: false };
    const [, outcome, ended] = ENDED.exec(line) ?? [];
    if (ended !== undefined && outcome !== undefined) this.#endTest(ended, outcome);
    this.#panic ??= PANIC.exec(line)?.[1];
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
    if (this.#ended.length === 0) this.#hasUnnamed = true;
    this.#failures = [];
    this.#ended = [];
    this.#running.clear();
    this.#test = undefined;
    this.#panic = undefined;
  }

  /** Returns the failures of the current package, with those of the tests that printed nothing. */
  #complete(goPackage: string): RawFinding[] {
    const named = new Set(this.#failures.map(({ rule }) => rule));
    const failed = this.#ended.flatMap(({ name, outcome }) => (outcome === "FAIL" ? [name] : []));
    for (const name of failed) {
      const parts = name.split("/", MAX_DEPTH);
      for (const i of parts.keys()) named.add(parts.slice(0, i).join("/"));
    }
    const silent = failed.filter((name) => !named.has(name));
    const all: readonly RawFinding[] = [
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

  #add(finding: RawFinding): void {
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
  return testName([goPackage, ...test.split("/")]);
}

function problem([, file, line]: RegExpExecArray, rule: string | undefined, message: string) {
  return { file, line: positionOf(line) ?? 1, severity: "error", rule, message } as const;
}
