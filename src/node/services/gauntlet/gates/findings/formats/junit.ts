/**
 * Parses reports in the XML of JUnit, which test runners of most languages write: the failures, the tests that passed
 * and the numbers of tests. Also accepts reports of linters, which have a problem as a test.
 */
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { KIB } from "@/common/limits";
import { describeError } from "@/common/errors";
import * as readers from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import * as stackTraces from "@/node/services/gauntlet/gates/findings/formats/stackTraces";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

const MAX_DEPTH = 100;
const MAX_TEXT_CHARS = 64 * KIB;
const CHUNK_CHARS = 64 * KIB;

export function parseJunit(xml: string): readers.ParsedReport {
  const reader = new JunitReader();
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  let problem: string | undefined;
  const fail = (thrown: unknown): void => {
    problem ??= `cannot be parsed: ${describeError(thrown)}`;
  };
  parser.on("error", fail);
  parser.on("opentag", reader.open);
  parser.on("text", reader.text);
  parser.on("cdata", reader.text);
  parser.on("closetag", reader.close);
  try {
    for (let i = 0; i < xml.length && problem === undefined; i += CHUNK_CHARS) {
      parser.write(xml.slice(i, i + CHUNK_CHARS));
    }
    if (problem === undefined) parser.close();
  } catch (thrown) {
    fail(thrown);
  }
  if (!reader.isJunit) problem ??= NOT_THIS_FORMAT;
  return { found: reader.found, tests: reader.tests, problem };
}

interface TestCase {
  readonly name: string;
  readonly className: string;
  /** {@link testName}. Absent if it is a problem of a linter, or a file that could not be loaded. */
  readonly id: string | undefined;
  readonly place: readers.Position;
}

const SCRIPT = /^[^\s<>]*\.[cm]?[jt]sx?$/;
/** Matches the packages of suites that linters write, with a problem as a test. */
const LINTERS = /^org\.(?:ruff|eslint|stylelint)$/;
/** The message of pytest for a file, as a test, that could not be imported. */
const NOT_COLLECTED = "collection failure";

class JunitReader {
  readonly found: readers.RawFinding[] = [];
  isJunit = false;
  tests: (readers.TestRun & { readonly names: readers.NamedTest[] }) | undefined;
  readonly #names: string[] = [];
  readonly #suites: SaxesTagPlain["attributes"][] = [];
  #outcome: "passed" | "failed" | "skipped" = "passed";
  #suiteFile: string | undefined;
  #test: TestCase | undefined;
  #failure: { readonly message: string; text: string } | undefined;

  readonly open = ({ name, attributes }: SaxesTagPlain): void => {
    if (this.#names.length >= MAX_DEPTH) throw new Error("is nested too deeply");
    this.#names.push(name);
    if (name === "testsuites" || name === "testsuite") this.isJunit = true;
    if (name === "testsuite") {
      this.#suites.push(attributes);
      // It stays after the suite: Mocha's reporter names the file in an empty suite before those of the file.
      this.#suiteFile = suiteFile(attributes) ?? this.#suiteFile;
    } else if (name === "testcase") {
      this.#test = testCase(attributes, this.#suites, this.#suiteFile);
      this.#outcome = "passed";
    } else if (name === "skipped") this.#outcome = "skipped";
    else if (name === "failure" || name === "error") {
      this.#outcome = "failed";
      this.#failure = { message: attributes.message ?? attributes.type ?? "", text: "" };
    }
  };

  readonly text = (text: string): void => {
    const failure = this.#failure;
    if (failure === undefined || failure.text.length >= MAX_TEXT_CHARS) return;
    failure.text += text.slice(0, MAX_TEXT_CHARS - failure.text.length);
  };

  readonly close = (): void => {
    const name = this.#names.pop();
    if (name === "testsuite") this.#suites.pop();
    if (name === "testcase") {
      this.#count();
      this.#test = undefined;
    }
    if ((name !== "failure" && name !== "error") || this.#failure === undefined) return;
    if (this.found.length < readers.MAX_RAW_FINDINGS) this.found.push(this.#finding(this.#failure));
    this.#failure = undefined;
  };

  #count(): void {
    if (this.#test === undefined || LINTERS.test(this.#suites.at(-1)?.package ?? "")) return;
    const { id, place } = this.#test;
    this.tests ??= { passed: 0, failed: 0, skipped: 0, names: [] };
    this.tests = { ...this.tests, [this.#outcome]: this.tests[this.#outcome] + 1 };
    const { names } = this.tests;
    if (this.#outcome === "passed" && id !== undefined && names.length < readers.MAX_RAW_FINDINGS)
      names.push({ file: place.file, test: id });
  }

  #finding({ message, text }: Record<"message" | "text", string>): readers.RawFinding {
    const { name = "", className = "", id, place = {} } = this.#test ?? {};
    const traced = stackTraces.positionInTrace(text);
    const goPackage = traced.file?.endsWith(".go") === true ? { goPackage: className } : {};
    return {
      ...(traced.file === undefined ? place : { ...traced, ...goPackage, testFile: place.file }),
      severity: "error",
      rule: name === "" ? undefined : name,
      test: message === NOT_COLLECTED ? undefined : id,
      message: message.trim() === "" ? stackTraces.messageOfTrace(text) : message,
    };
  }
}

/** Ruff and Vitest have the path of the file as the name of the suite. */
function suiteFile({ file, name = "" }: SaxesTagPlain["attributes"]): string | undefined {
  return file ?? (/^[^\s<>]*\/[^\s<>/]*\.\w{1,5}$/.test(name) ? name : undefined);
}

function testCase(
  { name = "", classname = "", file, line, column }: SaxesTagPlain["attributes"],
  suites: readonly SaxesTagPlain["attributes"][],
  ofSuite: string | undefined
): TestCase {
  // Vitest has the path of the file as the name of the class.
  const path = file ?? ofSuite ?? (SCRIPT.test(classname) ? classname : undefined);
  const isFile = SCRIPT.test(name) && (name === classname || path?.endsWith(name) === true);
  const isTest = !isFile && !LINTERS.test(suites.at(-1)?.package ?? "");
  const outer = classname === "" ? suites.map((suite) => suite.name ?? "") : [classname];
  return {
    name,
    className: classname,
    // Jest's reporter has the whole name as the name of the class as well.
    id: isTest ? readers.testName([...(classname === name ? [] : outer), name.trim()]) : undefined,
    place: readers.placeAt(path, line, column),
  };
}
