/**
 * Finds the failures and the numbers of tests in the output of Maven (with Surefire), Gradle and `dotnet test`
 * (VSTest), and the tests that passed in that of the last two.
 */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";

/** `at java.base/java.util.List.of(List.java:1)`; Gradle has `at app//com.example.A.b(A.java:1)`. */
const FRAME = /^\s+at (\S.*)\(([\w$-]+\.(?:java|kt|groovy|scala)):(\d+)\)$/;

abstract class JvmReader extends reader.TestReader {
  /** Reads a frame, or a line of the message, which ends at the first frame. */
  protected readTrace(line: string, failure: reader.OpenFailure): void {
    const [, name, file = "", at] = FRAME.exec(line) ?? [];
    if (/^\s+at /.test(line)) failure.part = "after";
    else if (failure.part === "message") reader.addLine(failure, line);
    if (name === undefined) return;
    // The first frame whose class is in the same part of the packages as the test.
    const parts = name.slice(name.lastIndexOf("/") + 1).split(".");
    const folder = parts.slice(0, -2).join("/");
    const own = failure.className?.split(".").slice(0, -1).slice(0, 2).join("/") ?? "";
    const isOwn = own === "" ? folder === "" : folder === own || folder.startsWith(`${own}/`);
    if (isOwn) reader.setPlace(failure, folder === "" ? file : `${folder}/${file}`, at);
  }

  /** Removes the package from the class of an exception. Without a position, derives the file from the class. */
  protected override toFinding(failure: reader.OpenFailure): reader.RawFinding {
    const { className = "", message, place } = failure;
    const text = message.join(" ");
    const exception = /^[\w$.]+(?=:|$| )/.exec(text)?.[0] ?? "";
    // Gradle may have a text instead of the name of a class.
    const isClass = /^\w[\w.$]*\.[\w$]+$/.test(className);
    const [outer = ""] = className.split("$");
    const file = isClass ? `${outer.replaceAll(".", "/")}.java` : undefined;
    const shown = text.slice(exception.lastIndexOf(".") + 1) || "failed";
    return {
      ...super.toFinding({ ...failure, message: [shown] }),
      ...(place.file === undefined && { file }),
    };
  }
}

const ELAPSED = "Time elapsed: ";
const ENDED_BADLY = /<<< (?:FAILURE|ERROR)!/;
const CLASS_COUNTS = /^(?:\[\w+\] )?Tests run: .* --? in (\S+)$/;
const SUREFIRE_COUNTS =
  /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$/;

/** The list of failures at the end is not read, because it repeats those above it in short. */
export class SurefireReader extends JvmReader {
  /** The class of the last counts. The failures that follow have its name if they have no method. */
  #className = "";

  protected readLine(line: string): void {
    this.#className = CLASS_COUNTS.exec(line)?.[1] ?? this.#className;
    const [, run, failures, errors, skipped] = SUREFIRE_COUNTS.exec(line) ?? [];
    if (run !== undefined) this.sum(run, Number(failures) + Number(errors), skipped);
    if (ENDED_BADLY.test(line)) this.#start(line);
    else if (line === "" || /^\[\w+\] /.test(line)) this.end();
    else if (this.failure !== undefined) this.readTrace(line, this.failure);
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
    const ofTest = (className: string, rule: string): void => {
      this.begin({ rule, className, test: reader.testName([className, rule]) });
    };
    if (name.endsWith(")") && isVersion2) ofTest(ofMethod, method);
    else if (name === this.#className || this.#className.startsWith(`${name}$`)) {
      // A class failed, for example in a method that runs before its tests.
      this.begin({ rule: name, className: name });
    } else {
      const head = /^[^([ ]*/.exec(name)?.[0] ?? "";
      const dot = head.lastIndexOf(".");
      ofTest(name.slice(0, Math.max(0, dot)), name.slice(dot + 1));
    }
  }
}

const GRADLE_OUTCOME = / (FAILED|PASSED|SKIPPED)$/;
/** Without the full format: the exception, and the last frame in the class of the test. */
const GRADLE_SHORT = /^ {4}(\S+) at ([\w$-]+\.\w+):(\d+)$/;
const GRADLE_COUNTS = /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/;

export class GradleReader extends JvmReader {
  protected readLine(line: string): void {
    const outcome = GRADLE_OUTCOME.exec(line);
    const rule = line.slice(0, outcome?.index ?? 0);
    if (/^[^\s>]/.test(rule) && rule.includes(" > ")) {
      const parts = rule.split(" > ");
      this.endTest(outcome?.[1], { rule, className: parts[0], test: reader.testName(parts) });
    } else if (this.failure !== undefined) this.#readFailure(line, this.failure);
    const [, completed, failures = 0, ignored] = GRADLE_COUNTS.exec(line) ?? [];
    if (completed !== undefined) this.sum(completed, Number(failures), ignored);
  }

  #readFailure(line: string, failure: reader.OpenFailure): void {
    const [, exception, file, at] = GRADLE_SHORT.exec(line) ?? [];
    if (exception !== undefined && failure.message.length === 0) {
      failure.message.push(exception);
      const folder = failure.className?.split(".").slice(0, -1) ?? [];
      failure.place = reader.placeAt([...folder, file].join("/"), at);
      failure.part = "after";
    } else if (line.startsWith("    ")) this.readTrace(line, failure);
    else this.end();
  }
}

/** The duration follows in brackets, as in `  Failed Tests.SumTest.Adds(a: 1) [< 1 ms]`. */
const DOTNET_ENDED = /^ {2}(Failed|Passed|Skipped) (\S.*\])$/;
/** The position at the end of a frame: `   at Tests.SumTest.Adds() in /project/SumTest.cs:line 5`. */
const DOTNET_LINE = /:line (\d+)$/;
const DOTNET_COUNTS =
  /^(?:Failed|Passed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:/;
/** With the verbosity "normal", the counts are below this line. */
const DOTNET_TOTAL = /^Total tests: \d+$/;
const DOTNET_COUNT = /^\s+(Passed|Failed|Skipped): (\d+)$/;
/** A package that was built on another machine. */
const FOREIGN = /^\/_\d?\//;

export class DotnetReader extends reader.TestReader {
  #isInTotal = false;

  protected readLine(line: string): void {
    const [, outcome, text = ""] = DOTNET_ENDED.exec(line) ?? [];
    const end = text.lastIndexOf(" [");
    if (end !== -1) {
      const rule = text.slice(0, end);
      this.endTest(outcome, { rule, test: idOf(rule), part: "before" });
    } else if (this.failure !== undefined) this.#readFailure(line, this.failure);
    const [, failed, passed, skipped] = DOTNET_COUNTS.exec(line) ?? [];
    if (failed !== undefined) {
      const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
      this.tally.sum(counts);
    }
    const [, name, count] = this.#isInTotal ? (DOTNET_COUNT.exec(line) ?? []) : [];
    this.tally.sumWord(count, name?.toLowerCase());
    this.#isInTotal = DOTNET_TOTAL.test(line) || name !== undefined;
  }

  #readFailure(line: string, failure: reader.OpenFailure): void {
    const end = DOTNET_LINE.exec(line);
    const start = line.indexOf(") in ");
    if (line === "  Error Message:") failure.part = "message";
    else if (line === "  Stack Trace:") failure.part = "after";
    else if (failure.part === "message") reader.addLine(failure, line);
    else if (end !== null && start !== -1) {
      const file = line.slice(start + ") in ".length, end.index);
      if (!FOREIGN.test(file)) reader.setPlace(failure, file, end[1]);
    } else if (!line.startsWith(" ")) this.end();
  }
}

/** Splits the method from its class. Its arguments can have any characters. */
function idOf(name: string): string {
  const end = name.search(/[( ]/);
  const dot = name.slice(0, end === -1 ? name.length : end).lastIndexOf(".");
  return reader.testName([name.slice(0, Math.max(0, dot)), name.slice(dot + 1)]);
}
