/** Finds the failures of `node --test`, and the tests that passed: those of the `tap` and the `spec` reporter. */
import {
  RunnerReader,
  type TestCounts,
  withoutDuration,
  type Failed,
} from "@/node/services/gauntlet/gates/findings/formats/javascript/failures";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  testName,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

const SUMMARY = /^(pass|fail|cancelled|skipped|todo) (\d+)$/;
const LOCATION = /^(.+):(\d+):(\d+)$/;
/** In the output of a file that could not run. */
const ERROR = /^[A-Za-z]*Error(?: \[\w+\])?: .*$/;

/** Reads the counts between the lines that only this runner prints. */
class Summary {
  #isOpen = false;

  /** @param mark the beginning of a line of the summary */
  constructor(
    private readonly mark: "# " | "ℹ ",
    private readonly counts: TestCounts
  ) {}

  read(line: string): void {
    if (!line.startsWith(this.mark)) return;
    const text = line.slice(this.mark.length);
    if (/^suites \d+$/.test(text)) this.#isOpen = true;
    if (text.startsWith("duration_ms ")) this.#isOpen = false;
    const [, word, count] = this.#isOpen ? (SUMMARY.exec(text) ?? []) : [];
    if (word === "pass") this.counts.keepNames(Number(count));
    this.counts.add(count, word);
  }
}

/** Returns the names of a failure. A file that failed as a whole is not a test. */
function failedOf(path: readonly string[], location: string | undefined): Failed {
  const [, file, line, column] = LOCATION.exec(location ?? "") ?? [];
  const name = path.at(-1) ?? "";
  const isFile = file !== undefined && (file.endsWith(name) || name.endsWith(file));
  if (isFile && path.length === 1) return { file };
  const place = { file, line: positionOf(line), column: positionOf(column) };
  const test = testName(path);
  return { ...place, rule: test, test };
}

const SUBTEST = /^( *)# Subtest: (.*)$/;
const TAP_RESULT = /^( *)(not )?ok \d+ - (.*)$/;
const DIRECTIVE = / # (?:SKIP|TODO)\b.*$/;
const PROPERTY = /^ *(\w+): (.*)$/;

/** A result, and what the lines below it say. */
interface TapResult {
  readonly path: readonly string[];
  readonly hasFailed: boolean;
  readonly isSkipped: boolean;
  readonly properties: Map<string, string>;
  readonly stack: string[];
}

const MAX_STACK_LINES = 50;

export class NodeTapReader extends RunnerReader {
  readonly #summary = new Summary("# ", this.tally);
  #suites: string[] = [];
  #result: TapResult | undefined;
  /** The property whose text is on the lines below it. */
  #block = "";
  #error: string | undefined;

  read(line: string): void {
    this.#summary.read(line);
    const [, indent = "", subtest] = SUBTEST.exec(line) ?? [];
    if (subtest !== undefined) {
      this.#suites = [...this.#suites.slice(0, indent.length / 4), unescaped(subtest)];
    }
    const result = TAP_RESULT.exec(line);
    if (result !== null) this.#begin(result);
    else if (this.#result !== undefined) this.#readProperty(line, this.#result);
    else if (line.startsWith("# ") && ERROR.test(line.slice(2))) this.#error ??= line.slice(2);
  }

  #begin([, indent = "", not, text = ""]: RegExpExecArray): void {
    const name = unescaped(text.replace(DIRECTIVE, ""));
    this.#result = {
      path: [...this.#suites.slice(0, indent.length / 4), name],
      hasFailed: not !== undefined && !DIRECTIVE.test(text),
      isSkipped: DIRECTIVE.test(text),
      properties: new Map(),
      stack: [],
    };
    this.#block = "";
  }

  #readProperty(line: string, { properties, stack }: TapResult): void {
    if (line.trim() === "...") {
      this.#end();
      return;
    }
    const [, key, value] = this.#block === "" ? (PROPERTY.exec(line) ?? []) : [];
    if (key !== undefined && value?.startsWith("|-") === true) this.#block = key;
    else if (key !== undefined) properties.set(key, unquoted(value ?? ""));
    else if (this.#block === "stack") stack.push(line.trim());
    else if (this.#block !== "" && !properties.has(this.#block)) {
      properties.set(this.#block, line.trim());
    }
    if (stack.length > MAX_STACK_LINES) stack.pop();
  }

  #end(): void {
    if (this.#result === undefined) return;
    const { path, hasFailed, isSkipped, properties, stack } = this.#result;
    this.#result = undefined;
    const cause = properties.get("failureType");
    const isSuite = properties.get("type") === "suite";
    if (!hasFailed && !isSkipped && !isSuite && properties.has("duration_ms")) {
      this.tally.name({ test: testName(path) });
    }
    if (!hasFailed || cause === undefined || cause === "subtestsFailed") return;
    const failed = failedOf(path, properties.get("location"));
    this.failures.begin(isSuite ? { ...failed, test: undefined } : failed);
    const { name } = Object.fromEntries(properties);
    const error = properties.get("error") ?? "";
    const isFile = failed.test === undefined && !isSuite;
    if (isFile && this.#error !== undefined) this.failures.read(this.#error);
    else this.failures.read(name === undefined ? error : `${name}: ${error}`);
    for (const frame of stack) this.failures.read(`at ${frame}`);
    this.failures.end();
    this.#error = undefined;
  }
}

/** Comments and names have a backslash before `#` and before another backslash. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([#\\])/g, "$1");
}

function unquoted(value: string, otherwise = value): string {
  const isQuoted = value.length > 1 && value.startsWith("'") && value.endsWith("'");
  return isQuoted ? value.slice(1, -1) : otherwise;
}

const SPEC_RESULT = /^( *)(?:(▶)|(✔)|(✖)) (.*)$/;
const DETAILS = "✖ failing tests:";
const TEST_AT = /^test at (.*)$/;

/** A line of the tree that failed, by its text, which has a duration. */
interface FailedNode {
  readonly path: readonly string[];
  readonly isSuite: boolean;
  readonly error: string | undefined;
}

export class NodeSpecReader extends RunnerReader {
  readonly #summary = new Summary("ℹ ", this.tally);
  readonly #failed = new Map<string, { readonly nodes: FailedNode[]; next: number }>();
  #size = 0;
  #suites: string[] = [];
  #error: string | undefined;
  #isInDetails = false;
  #location: string | undefined;

  read(line: string): void {
    this.#summary.read(line);
    if (ERROR.test(line)) this.#error = line;
    if (line === DETAILS) this.#isInDetails = true;
    else if (this.#isInDetails && !this.#endsDetails(line)) this.#readDetails(line);
    else this.#readTree(line);
  }

  #readTree(line: string): void {
    const [, indent = "", opened, passed, failed, text = ""] = SPEC_RESULT.exec(line) ?? [];
    const depth = indent.length / 2;
    if (opened !== undefined) this.#suites = [...this.#suites.slice(0, depth), text];
    if (passed === undefined && failed === undefined) return;
    const name = withoutDuration(text);
    const isSuite = this.#suites.length > depth && this.#suites[depth] === name;
    const path = [...this.#suites.slice(0, depth), name];
    this.#suites = this.#suites.slice(0, depth);
    if (passed !== undefined && !isSuite) this.tally.name({ test: testName(path) });
    if (failed === undefined || this.#size >= MAX_RAW_FINDINGS) return;
    this.#size++;
    const same = this.#failed.get(text) ?? { nodes: [], next: 0 };
    same.nodes.push({ path, isSuite, error: this.#error });
    this.#failed.set(text, same);
    this.#error = undefined;
  }

  #readDetails(line: string): void {
    const location = TEST_AT.exec(line)?.[1];
    if (location !== undefined) {
      this.failures.end();
      this.#location = location;
      return;
    }
    if (this.#location === undefined || !line.startsWith("✖ ")) {
      if (line.startsWith(" ")) this.failures.read(unquoted(line.trim(), line));
      return;
    }
    const text = line.slice("✖ ".length);
    const same = this.#failed.get(text);
    const node = same?.nodes[same.next++];
    const failed = failedOf(node?.path ?? [withoutDuration(text)], this.#location);
    this.#location = undefined;
    this.failures.begin(node?.isSuite === true ? { ...failed, test: undefined } : failed);
    if (failed.test === undefined && node?.error !== undefined) this.failures.read(node.error);
  }

  /** Returns whether a line begins the tree of another run. */
  #endsDetails(line: string): boolean {
    if (!/^[▶✔✖] /.test(line) || this.#location !== undefined) return false;
    this.failures.end();
    this.#isInDetails = false;
    this.#failed.clear();
    this.#suites = [];
    return true;
  }
}
