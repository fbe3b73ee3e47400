/** Finds the failures that Maven (with Surefire) and Gradle print. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  testName,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testTally";

/** `at java.base/java.util.List.of(List.java:1)`; Gradle has `at app//com.example.A.b(A.java:1)`. */
const FRAME = /^\s+at (\S.*)\(([\w$-]+\.(?:java|kt|groovy|scala)):(\d+)\)$/;
const MAX_MESSAGE_LINES = 6;

/** A failure whose lines are read. */
interface Failure {
  readonly rule: string;
  /** Absent if a class failed, for example in a method that runs before its tests. */
  readonly test?: string;
  readonly className: string;
  readonly message: string[];
  place: Pick<RawFinding, "file" | "line">;
  isInTrace: boolean;
}

function newFailure(rule: string, className: string, test?: string): Failure {
  return { rule, test, className, message: [], place: {}, isInTrace: false };
}

/** Reads the position of the first frame whose class is in the same part of the packages as the test. */
function readFrame([, name = "", file = "", line]: RegExpExecArray, failure: Failure): void {
  failure.isInTrace = true;
  if (failure.place.file !== undefined) return;
  const parts = name.slice(name.lastIndexOf("/") + 1).split(".");
  const folder = parts.slice(0, -2).join("/");
  const own = failure.className.split(".").slice(0, -1).slice(0, 2).join("/");
  if (own === "" ? folder !== "" : folder !== own && !folder.startsWith(`${own}/`)) return;
  failure.place = { file: folder === "" ? file : `${folder}/${file}`, line: positionOf(line) };
}

/** Returns the finding. The class of an exception is printed without its package. */
function toFinding({ rule, test, className, message, place }: Failure): RawFinding {
  const text = message.join(" ");
  const exception = /^[\w$.]+(?=:|$| )/.exec(text)?.[0] ?? "";
  // Gradle may have a text instead of the name of a class.
  const isClass = /^\w[\w.$]*\.[\w$]+$/.test(className);
  const [outer = ""] = className.split("$");
  const ofClass = isClass ? `${outer.replaceAll(".", "/")}.java` : undefined;
  return {
    ...(place.file === undefined ? { file: ofClass } : place),
    severity: "error",
    rule,
    test,
    message: text === "" ? "failed" : text.slice(exception.lastIndexOf(".") + 1),
  };
}

/** Reads the lines of one failure at a time. */
abstract class FailureReader implements LineReader {
  protected readonly found: RawFinding[] = [];
  readonly tally = new TestTally();
  protected failure: Failure | undefined;

  get all(): RawFinding[] {
    return [...this.found, ...(this.failure === undefined ? [] : [toFinding(this.failure)])];
  }

  abstract read(line: string): void;

  protected sum(run: number, failed: number, skipped: number): void {
    this.tally.sum({ passed: run - failed - skipped, failed, skipped });
  }

  /** Reads a frame, or a line of the message, which ends at the first frame. */
  protected readTrace(line: string, failure: Failure): void {
    const frame = FRAME.exec(line);
    if (frame !== null) readFrame(frame, failure);
    else if (/^\s+at /.test(line)) failure.isInTrace = true;
    else if (!failure.isInTrace && failure.message.length < MAX_MESSAGE_LINES) {
      failure.message.push(line.trim());
    }
  }

  protected end(): void {
    if (this.failure === undefined) return;
    this.found.push(toFinding(this.failure));
    if (this.failure.test !== undefined) this.tally.fail(this.failure.test);
    this.failure = undefined;
  }
}

const ELAPSED = "Time elapsed: ";
const ENDED_BADLY = /<<< (?:FAILURE|ERROR)!/;
const CLASS_COUNTS = /^(?:\[\w+\] )?Tests run: .* --? in (\S+)$/;
const COUNTS =
  /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$/;
const COMPILER = /^\[(ERROR|WARNING)\] (\/?\S[^:]*\.(?:java|kt)):\[(\d+),(\d+)\] (\S.*)$/;

/** The list of failures at the end is not read, because it repeats those above it in short. */
export class SurefireReader extends FailureReader {
  /** The class of the last counts. The failures that follow have its name if they have no method. */
  #className = "";
  /** The compiler's problems are repeated at the end. */
  readonly #compiled = new Set<string>();

  read(line: string): void {
    if (this.found.length >= MAX_RAW_FINDINGS) return;
    this.#className = CLASS_COUNTS.exec(line)?.[1] ?? this.#className;
    const [, run, failures, errors, skipped] = COUNTS.exec(line) ?? [];
    if (run !== undefined)
      this.sum(Number(run), Number(failures) + Number(errors), Number(skipped));
    this.#readCompiler(line);
    if (ENDED_BADLY.test(line)) this.#start(line);
    else if (line === "" || /^\[\w+\] /.test(line)) this.end();
    else if (this.failure !== undefined) this.readTrace(line, this.failure);
  }

  #readCompiler(line: string): void {
    const [, level, file, at, column, message = ""] = COMPILER.exec(line) ?? [];
    if (file === undefined || this.#compiled.has(line)) return;
    this.#compiled.add(line);
    const severity = severityOf(level) ?? "error";
    const place = { file, line: positionOf(at), column: positionOf(column) };
    this.found.push({ ...place, severity, message });
  }

  /** Version 2 has `method(class)  Time elapsed`, version 3 has `class.method -- Time elapsed`. */
  #start(line: string): void {
    this.end();
    const end = line.indexOf(ELAPSED);
    const start = line.startsWith("[ERROR] ") ? "[ERROR] ".length : 0;
    if (end === -1 || line.startsWith("Tests run:", start)) return;
    const name = line.slice(start, end).replace(/(?: --)? *$/, "");
    const bracket = name.lastIndexOf("(");
    const [method, ofMethod] = [name.slice(0, Math.max(0, bracket)), name.slice(bracket + 1, -1)];
    const isVersion2 = /^[\w.$]+$/.test(ofMethod) && /^[^.(]+(?:\[|$)/.test(method);
    if (name.endsWith(")") && isVersion2) {
      this.failure = newFailure(method, ofMethod, testName([ofMethod, method]));
    } else if (name === this.#className || this.#className.startsWith(`${name}$`)) {
      this.failure = newFailure(name, name);
    } else {
      const head = /^[^([ ]*/.exec(name)?.[0] ?? "";
      const dot = head.lastIndexOf(".");
      const [className, rule] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
      this.failure = newFailure(rule, className, testName([className, rule]));
    }
  }
}

const GRADLE_OUTCOME = / (FAILED|PASSED|SKIPPED)$/;
/** Without the full format: the exception, and the last frame in the class of the test. */
const GRADLE_SHORT = /^ {4}(\S+) at ([\w$-]+\.\w+):(\d+)$/;
const GRADLE_COUNTS = /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/;

export class GradleReader extends FailureReader {
  read(line: string): void {
    if (this.found.length >= MAX_RAW_FINDINGS) return;
    const outcome = GRADLE_OUTCOME.exec(line);
    const name = line.slice(0, outcome?.index ?? 0);
    if (/^[^\s>]/.test(name) && name.includes(" > ")) this.#endTest(name, outcome?.[1]);
    else if (this.failure !== undefined) this.#readFailure(line, this.failure);
    const [, completed, failures, ignored] = GRADLE_COUNTS.exec(line) ?? [];
    if (completed === undefined) return;
    this.sum(Number(completed), Number(failures ?? 0), Number(ignored ?? 0));
  }

  #endTest(name: string, outcome: string | undefined): void {
    this.end();
    const parts = name.split(" > ");
    const test = testName(parts);
    if (outcome === "PASSED") this.tally.pass({ test });
    else if (outcome === "SKIPPED") this.tally.skip();
    else this.failure = newFailure(name, parts[0] ?? "", test);
  }

  #readFailure(line: string, failure: Failure): void {
    const [, exception, file, at] = GRADLE_SHORT.exec(line) ?? [];
    if (exception !== undefined && failure.message.length === 0) {
      failure.message.push(exception);
      const folder = failure.className.split(".").slice(0, -1);
      failure.place = { file: [...folder, file].join("/"), line: positionOf(at) };
      failure.isInTrace = true;
    } else if (line.startsWith("    ")) this.readTrace(line, failure);
    else this.end();
  }
}
