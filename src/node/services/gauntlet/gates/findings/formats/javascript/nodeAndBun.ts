/**
 * Finds the failures, the tests that passed and the numbers of tests in the output of `node --test`, with its reporters
 * `tap` and `spec`, and of `bun test`.
 */
import * as runners from "@/node/services/gauntlet/gates/findings/formats/javascript/BaseRunnerReader";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";

const NODE_SUMMARY = /^(pass|fail|cancelled|skipped|todo) (\d+)$/;
const LOCATION = /^(.+):(\d+):(\d+)$/;
/** In the output of a file that could not run. */
const NODE_ERROR = /^[A-Za-z]*Error(?: \[\w+\])?: .*$/;

abstract class NodeReader extends runners.BaseRunnerReader {
  #isInSummary = false;

  /** Reads the counts between the lines that only this runner prints. */
  protected readSummary(line: string, mark: "# " | "ℹ "): void {
    if (!line.startsWith(mark)) return;
    const text = line.slice(mark.length);
    if (/^suites \d+$/.test(text)) this.#isInSummary = true;
    if (text.startsWith("duration_ms ")) this.#isInSummary = false;
    const [, word, count] = this.#isInSummary ? (NODE_SUMMARY.exec(text) ?? []) : [];
    if (word === "pass") this.tally.keepNames(Number(count));
    this.tally.sumWord(count, word);
  }
}

/** Returns the names of a failure. A file that failed as a whole is not a test. */
function failedOf(path: readonly string[], location: string | undefined): runners.Failed {
  const [, file, line, column] = LOCATION.exec(location ?? "") ?? [];
  const name = path.at(-1) ?? "";
  const isEnd = (end: string, whole: string): boolean => `/${whole}`.endsWith(`/${end}`);
  const isFile = file !== undefined && (isEnd(name, file) || isEnd(file, name));
  if (isFile && path.length === 1) return { file };
  const test = reader.testName(path);
  return { ...reader.placeAt(file, line, column), rule: test, test };
}

const SUBTEST = /^( *)# Subtest: (.*)$/;
const TAP_RESULT = /^( *)(not )?ok \d+ - (.*)$/;
/** Marks a test that was skipped or is expected to fail, in the words of TAP. */
const DIRECTIVE = / # (?:skip|todo)\b.*$/i;
const PROPERTY = /^ *(\w+): (.*)$/;

/** A result, and the properties on the lines below it. */
interface TapResult {
  readonly path: readonly string[];
  readonly hasFailed: boolean;
  readonly isSkipped: boolean;
  readonly indent: string;
  /** Whether its properties have begun, which are indented by two spaces more, and blocks in them by four. */
  isOpen: boolean;
  readonly properties: Map<string, string>;
  readonly stack: string[];
}

const MAX_STACK_LINES = 50;

export class NodeTapReader extends NodeReader {
  #result: TapResult | undefined;
  /** The property whose text is on the lines below it. */
  #block = "";
  #error: string | undefined;

  read(line: string): void {
    if (this.#result?.isOpen === true && this.#readProperty(line, this.#result)) return;
    this.readSummary(line, "# ");
    const [, indent = "", subtest] = SUBTEST.exec(line) ?? [];
    if (subtest !== undefined) {
      this.suites = this.pathOf(indent.length / 4, unescaped(subtest));
    }
    const result = TAP_RESULT.exec(line);
    if (result !== null) this.#begin(result);
    else if (this.#result !== undefined && line.trim() === "---") this.#result.isOpen = true;
    else if (line.startsWith("# ") && NODE_ERROR.test(line.slice(2))) this.#error ??= line.slice(2);
  }

  #begin([, indent = "", not, text = ""]: RegExpExecArray): void {
    const name = unescaped(text.replace(DIRECTIVE, ""));
    this.#result = {
      path: this.pathOf(indent.length / 4, name),
      hasFailed: not !== undefined && !DIRECTIVE.test(text),
      isSkipped: DIRECTIVE.test(text),
      indent,
      isOpen: false,
      properties: new Map(),
      stack: [],
    };
    this.#block = "";
  }

  /** Reads a line below a result, and returns false if it is none because the output was cut off. */
  #readProperty(line: string, result: TapResult): boolean {
    const { indent, properties, stack } = result;
    const text = line.trim();
    if (text === "") return true;
    if (line.startsWith(`${indent}    `)) {
      if (this.#block === "stack" && stack.length < MAX_STACK_LINES) stack.push(text);
      else if (this.#block !== "" && !properties.has(this.#block))
        properties.set(this.#block, text);
      return true;
    }
    if (!line.startsWith(`${indent}  `)) {
      this.#result = undefined;
      return false;
    }
    const [, key = "", value = ""] = PROPERTY.exec(line) ?? [];
    this.#block = value.startsWith("|-") ? key : "";
    if (text === "...") this.#end(result);
    else if (this.#block === "") properties.set(key, unquoted(value));
    return true;
  }

  #end({ path, hasFailed, isSkipped, properties, stack }: TapResult): void {
    this.#result = undefined;
    const cause = properties.get("failureType");
    const isSuite = properties.get("type") === "suite";
    if (!hasFailed && !isSkipped && !isSuite && properties.has("duration_ms")) {
      this.tally.pass({ test: reader.testName(path) });
    }
    if (!hasFailed || cause === undefined || cause === "subtestsFailed") return;
    const failed = failedOf(path, properties.get("location"));
    this.begin(isSuite ? { ...failed, test: undefined } : failed);
    const { name } = Object.fromEntries(properties);
    const error = properties.get("error") ?? "";
    const isFile = failed.test === undefined && !isSuite;
    if (isFile && this.#error !== undefined) this.readText(this.#error);
    else this.readText(name === undefined ? error : `${name}: ${error}`);
    for (const frame of stack) this.readText(`at ${frame}`);
    this.end();
    this.#error = undefined;
  }
}

/** Comments and names have a backslash before `#` and before another backslash. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([#\\])/g, "$1");
}

function unquoted(value: string, otherwise = value): string {
  return /^(['"`])(.*)\1$/s.exec(value)?.[2] ?? otherwise;
}

const SPEC_RESULT = /^( *)(?:(▶)|(✔)|(✖)) (.*)$/;
const DETAILS = "✖ failing tests:";
const TEST_AT = /^test at (.*)$/;

/** A test or suite of the tree that failed. */
interface FailedNode {
  readonly path: readonly string[];
  readonly isSuite: boolean;
  readonly error: string | undefined;
}

export class NodeSpecReader extends NodeReader {
  /** By the text of their line, which has a duration. */
  readonly #failed = new Map<string, { readonly nodes: FailedNode[]; next: number }>();
  #size = 0;
  #error: string | undefined;
  #isInDetails = false;
  #location: string | undefined;

  read(line: string): void {
    this.readSummary(line, "ℹ ");
    if (NODE_ERROR.test(line)) this.#error = line;
    if (line === DETAILS) this.#isInDetails = true;
    else if (this.#isInDetails && !this.#endsDetails(line)) this.#readDetails(line);
    else this.#readTree(line);
  }

  #readTree(line: string): void {
    const [, indent = "", opened, passed, failed, text = ""] = SPEC_RESULT.exec(line) ?? [];
    const depth = indent.length / 2;
    if (opened !== undefined) this.suites = this.pathOf(depth, text);
    if (passed === undefined && failed === undefined) return;
    const name = runners.withoutDuration(text);
    const isSuite = this.suites.length > depth && this.suites[depth] === name;
    const path = this.pathOf(depth, name);
    this.suites = this.suites.slice(0, depth);
    if (passed !== undefined && !isSuite) this.tally.pass({ test: reader.testName(path) });
    if (failed === undefined || this.#size >= reader.MAX_RAW_FINDINGS) return;
    this.#size++;
    const same = this.#failed.get(text) ?? { nodes: [], next: 0 };
    same.nodes.push({ path, isSuite, error: this.#error });
    this.#failed.set(text, same);
    this.#error = undefined;
  }

  #readDetails(line: string): void {
    const location = TEST_AT.exec(line)?.[1];
    if (location !== undefined) {
      this.end();
      this.#location = location;
      return;
    }
    if (this.#location === undefined || !line.startsWith("✖ ")) {
      if (line.startsWith(" ")) this.readText(unquoted(line.trim(), line));
      return;
    }
    const text = line.slice("✖ ".length);
    const same = this.#failed.get(text);
    const node = same?.nodes[same.next++];
    const failed = failedOf(node?.path ?? [runners.withoutDuration(text)], this.#location);
    this.#location = undefined;
    this.begin(node?.isSuite === true ? { ...failed, test: undefined } : failed);
    if (failed.test === undefined && node?.error !== undefined) this.readText(node.error);
  }

  /** Returns whether a line begins the tree of another run. */
  #endsDetails(line: string): boolean {
    if (!/^[▶✔✖] /.test(line) || this.#location !== undefined) return false;
    this.end();
    this.#isInDetails = false;
    this.#failed.clear();
    this.suites = [];
    return true;
  }
}

const START = /^bun test v\d/;
const FILE = /^(?:::group::)?(\S.*\.\w+):$/;
/** In color, there are marks instead of words. */
const RESULT = /^(?:(\(pass\)|✓)|(\(fail\)|✗)|\(skip\)|\(todo\)|»|✎) (\S.*)$/;
const ERROR = /^[A-Za-z]*[Ee]rror(?: \[\w+\])?: /;
/** Below the name of a test, such as `^ this test timed out after 5000ms.` */
const REASON = /^ {2}\^ (.*)$/;
const BETWEEN_TESTS = "# Unhandled error between tests";
const RULER = /^-{20,}$/;
/** The results are printed a second time at the end of a long run. */
const REPEATED = /^\d+ tests (?:failed|skipped|todo):$/;
const SUMMARY = /^ (\d+) (pass|fail|skip|todo)$/;
const END = /^Ran \d+ tests? across /;
const HOOK = /(?:^| > )\(unnamed\)$/;
const MAX_LINES = 200;

export class BunTestReader extends runners.BaseRunnerReader {
  #state: "none" | "running" | "repeating" = "none";
  #file: string | undefined;
  /** The lines since the last result, from the first error on. */
  #lines: string[] = [];
  /** The number of the two lines around an error between tests that are still to come. */
  #rulers = 0;

  read(line: string): void {
    if (START.test(line)) {
      this.#state = "running";
      this.#file = undefined;
      this.#lines = [];
    }
    if (this.#state === "none") return;
    const [, count, word] = SUMMARY.exec(line) ?? [];
    if (count !== undefined) this.tally.sumWord(count, word);
    else if (REPEATED.test(line)) this.#state = "repeating";
    else if (END.test(line)) this.#state = "none";
    else if (this.#state === "running") this.#readRun(line);
  }

  #readRun(line: string): void {
    const [, passed, failed, text] = RESULT.exec(line) ?? [];
    const file = this.#rulers === 0 ? FILE.exec(line)?.[1] : undefined;
    if (text !== undefined) {
      const test = runners.withoutDuration(text);
      if (passed !== undefined) this.tally.pass({ file: this.#file, test });
      const named = { file: this.#file, rule: test, test: HOOK.test(test) ? undefined : test };
      this.#end(failed === undefined ? undefined : named);
    } else if (file !== undefined) {
      this.#file = file;
      this.#end(undefined);
    } else if (line === BETWEEN_TESTS) this.#rulers = 2;
    else if (this.#rulers > 0 && RULER.test(line)) {
      if (--this.#rulers === 0) this.#end({ file: this.#file });
    } else this.#readError(line);
  }

  #readError(line: string): void {
    const reason = REASON.exec(line)?.[1];
    if (reason !== undefined && !this.hasMessage) this.readText(reason);
    const isError = this.#lines.length > 0 || ERROR.test(line);
    if (isError && this.#lines.length < MAX_LINES) this.#lines.push(line);
  }

  /** Uses the lines for a failure, or forgets them. */
  #end(failed: runners.Failed | undefined): void {
    if (failed === undefined) this.end();
    else {
      this.begin(failed);
      for (const line of this.#lines) this.readText(line.replace(/^error: /, ""));
    }
    this.#lines = [];
  }
}
