/** Finds the failures of `dotnet test` (VSTest), and the problems that MSBuild and its compilers print. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  testName,
  type LineReader,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { TestTally } from "@/node/services/gauntlet/gates/findings/formats/testTally";

/** The duration follows in brackets, as in `  Failed Tests.SumTest.Adds(a: 1) [< 1 ms]`. */
const ENDED = /^ {2}(Failed|Passed|Skipped) (\S.*\])$/;
/** The position at the end of a frame: `   at Tests.SumTest.Adds() in /project/SumTest.cs:line 5`. */
const FRAME_LINE = /:line (\d+)$/;
const COUNTS =
  /^(?:Failed|Passed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:/;
/** With the verbosity "normal", the counts are below this line. */
const TOTAL = /^Total tests: \d+$/;
const COUNT = /^\s+(Passed|Failed|Skipped): (\d+)$/;
const SOURCE =
  /^\s*(\S[^(]*\.(?:cs|fs|vb|razor|cshtml|xaml|props|targets|\w*proj))\((\d+)(?:,(\d+))?[^)]*\): (error|warning) ([A-Z]{2,}\d+): (\S.*)$/;
const PROJECT = /^\s*(\S[^:]*\.\w*(?:proj|sln)) : (error|warning) ([A-Z]{2,}\d+): (\S.*)$/;
/** A package that was built on another machine. */
const FOREIGN = /^\/_\d?\//;
const MAX_MESSAGE_LINES = 6;

interface Failure {
  readonly name: string;
  readonly message: string[];
  place: Pick<RawFinding, "file" | "line">;
  part: "none" | "message" | "trace";
}

export class DotnetReader implements LineReader {
  readonly #found: RawFinding[] = [];
  readonly tally = new TestTally();
  #failure: Failure | undefined;
  #isInTotal = false;
  /** MSBuild repeats the problems at the end. */
  readonly #built = new Set<string>();

  get all(): RawFinding[] {
    return [...this.#found, ...(this.#failure === undefined ? [] : [toFinding(this.#failure)])];
  }

  read(line: string): void {
    if (this.#found.length >= MAX_RAW_FINDINGS) return;
    this.#readBuild(line);
    const [, outcome, text = ""] = ENDED.exec(line) ?? [];
    const end = text.lastIndexOf(" [");
    if (end !== -1) this.#endTest(text.slice(0, end), outcome);
    else if (this.#failure !== undefined) this.#readFailure(line, this.#failure);
    this.#readCounts(line);
  }

  #readBuild(line: string): void {
    const source = SOURCE.exec(line);
    const [file, level, code, text] =
      source === null
        ? (PROJECT.exec(line)?.slice(1) ?? [])
        : [source[1], source[4], source[5], source[6]];
    if (file === undefined || text === undefined) return;
    // The path of the project is at the end, in brackets.
    const message = text.endsWith("proj]") ? text.slice(0, text.lastIndexOf(" [")) : text;
    const place = { file, line: positionOf(source?.[2]), column: positionOf(source?.[3]) };
    const key = JSON.stringify([place, message]);
    if (this.#built.has(key)) return;
    this.#built.add(key);
    this.#found.push({ ...place, severity: severityOf(level) ?? "error", rule: code, message });
  }

  #endTest(name: string, outcome: string | undefined): void {
    this.#end();
    if (outcome === "Passed") this.tally.pass({ test: idOf(name) });
    else if (outcome === "Skipped") this.tally.skip();
    else this.#failure = { name, message: [], place: {}, part: "none" };
  }

  #readFailure(line: string, failure: Failure): void {
    const end = FRAME_LINE.exec(line);
    const start = line.indexOf(") in ");
    if (line === "  Error Message:") failure.part = "message";
    else if (line === "  Stack Trace:") failure.part = "trace";
    else if (failure.part === "message") {
      const text = line.trim();
      if (text !== "" && failure.message.length < MAX_MESSAGE_LINES) failure.message.push(text);
    } else if (end !== null && start !== -1) {
      const file = line.slice(start + ") in ".length, end.index);
      const isFirst = failure.place.file === undefined && !FOREIGN.test(file);
      if (isFirst) failure.place = { file, line: positionOf(end[1]) };
    } else if (!line.startsWith(" ")) this.#end();
  }

  #end(): void {
    if (this.#failure === undefined) return;
    this.#found.push(toFinding(this.#failure));
    this.tally.fail(idOf(this.#failure.name));
    this.#failure = undefined;
  }

  #readCounts(line: string): void {
    const [, failed, passed, skipped] = COUNTS.exec(line) ?? [];
    if (failed !== undefined) {
      const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
      this.tally.sum(counts);
    }
    const [, name, count] = this.#isInTotal ? (COUNT.exec(line) ?? []) : [];
    if (name !== undefined) this.tally.sum({ [name.toLowerCase()]: Number(count) });
    this.#isInTotal = TOTAL.test(line) || name !== undefined;
  }
}

/** Splits the method from its class. Its arguments can have any characters. */
function idOf(name: string): string {
  const end = name.search(/[( ]/);
  const dot = name.slice(0, end === -1 ? name.length : end).lastIndexOf(".");
  return testName([name.slice(0, Math.max(0, dot)), name.slice(dot + 1)]);
}

function toFinding({ name, message, place }: Failure): RawFinding {
  const text = message.length === 0 ? "failed" : message.join(" ");
  return { ...place, severity: "error", rule: name, test: idOf(name), message: text };
}
