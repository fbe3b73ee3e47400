/** Finds the failures of `go test`, whose lines name a file without its folder. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

/** With -v, a test's lines are between these two; otherwise they follow the second one. */
const STARTED = /^=== (?:RUN|CONT|NAME)\s+(\S+)/;
const ENDED = /^\s*--- (FAIL|PASS|SKIP): (\S+)/;
const LOGGED = /^\s+([^\s:][^\s:]*\.go):(\d+): (.*)$/;
/** The result of a package ends its lines. */
const PACKAGE = /^(?:FAIL|ok)\s+(\S+)\s+(?:\d|\(cached\)|\[)/;
const PANIC = /^panic: (.*?)(?: \[recovered\])?$/;
/** A frame of a stack trace, below the name of its function. */
const FRAME = /^\t(\/[^:]*\.go):(\d+)(?: \+0x[0-9a-f]+)?$/;
const RUNTIME_FRAME = /\/src\/(?:runtime|testing)\//;

export class GoTestReader {
  /** The number of lines of tests, failed or not. */
  #size = 0;
  readonly #found: RawFinding[] = [];
  /** Of the current package. */
  #failures: RawFinding[] = [];
  /** By test, the lines of those that have not ended. */
  readonly #running = new Map<string, RawFinding[]>();
  #test: { readonly name: string; readonly hasFailed: boolean } | undefined;
  #panic: string | undefined;

  get all(): RawFinding[] {
    return [...this.#found, ...this.#failures];
  }

  read(line: string): void {
    if (this.#size >= MAX_RAW_FINDINGS) return;
    const goPackage = PACKAGE.exec(line)?.[1];
    if (goPackage !== undefined) {
      this.#endPackage(goPackage);
      return;
    }
    const started = STARTED.exec(line)?.[1];
    if (started !== undefined) this.#test = { name: started, hasFailed: false };
    const [, outcome, ended] = ENDED.exec(line) ?? [];
    if (ended !== undefined) this.#endTest(ended, outcome === "FAIL");
    this.#panic ??= PANIC.exec(line)?.[1];
    this.#readFrame(line);
    const logged = LOGGED.exec(line);
    if (logged !== null) this.#add(problem(logged, this.#test?.name, logged[3] ?? ""));
  }

  #endTest(name: string, hasFailed: boolean): void {
    if (hasFailed) this.#failures.push(...(this.#running.get(name) ?? []));
    this.#running.delete(name);
    this.#test = hasFailed ? { name, hasFailed } : undefined;
  }

  #endPackage(goPackage: string): void {
    this.#found.push(...this.#failures.map((one) => ({ ...one, goPackage })));
    this.#failures = [];
    this.#running.clear();
    this.#test = undefined;
    this.#panic = undefined;
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
    const { name, hasFailed } = this.#test;
    const list = hasFailed ? this.#failures : (this.#running.get(name) ?? []);
    if (!hasFailed) this.#running.set(name, list);
    list.push(finding);
    this.#size++;
  }
}

function problem(
  [, file, line]: RegExpExecArray,
  test: string | undefined,
  message: string
): RawFinding {
  return {
    ...(file === undefined ? {} : { file }),
    line: positionOf(line) ?? 1,
    severity: "error",
    ...(test === undefined ? {} : { rule: test }),
    message,
  };
}
