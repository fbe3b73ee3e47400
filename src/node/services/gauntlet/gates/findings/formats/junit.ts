/** Parses the XML of JUnit, which test runners of most languages write. */
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { KIB } from "@/common/limits";
import { describeError } from "@/common/errors";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type ParsedReport,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import {
  messageOfTrace,
  positionInTrace,
  type Position,
} from "@/node/services/gauntlet/gates/findings/formats/traces";
import { NESTED_TOO_DEEPLY, NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/findings";

const MAX_DEPTH = 100;
const MAX_TEXT_CHARS = 64 * KIB;
const CHUNK_CHARS = 64 * KIB;

export function parseJunit(xml: string): ParsedReport {
  const reader = new JunitReader();
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  let problem: string | undefined;
  parser.on("error", (error) => {
    problem ??= describeError(error);
  });
  parser.on("opentag", (tag) => {
    reader.open(tag);
  });
  parser.on("text", (text) => {
    reader.text(text);
  });
  parser.on("cdata", (text) => {
    reader.text(text);
  });
  parser.on("closetag", () => {
    reader.close();
  });
  try {
    for (let i = 0; i < xml.length && problem === undefined; i += CHUNK_CHARS) {
      parser.write(xml.slice(i, i + CHUNK_CHARS));
    }
    if (problem === undefined) parser.close();
  } catch (thrown) {
    problem = describeError(thrown);
  }
  if (problem === undefined && !reader.isJunit) problem = NOT_THIS_FORMAT;
  return { found: reader.found, ...(problem === undefined ? {} : { problem }) };
}

interface TestCase {
  readonly name: string;
  readonly className: string;
  readonly place: Position;
}

class JunitReader {
  readonly found: RawFinding[] = [];
  isJunit = false;
  readonly #names: string[] = [];
  #suiteFile: string | undefined;
  #test: TestCase | undefined;
  #failure: { readonly message: string; text: string } | undefined;

  open({ name, attributes }: SaxesTagPlain): void {
    if (this.#names.length >= MAX_DEPTH) throw new Error(NESTED_TOO_DEEPLY);
    this.#names.push(name);
    if (name === "testsuites" || name === "testsuite") this.isJunit = true;
    if (name === "testsuite") this.#suiteFile = suiteFile(attributes) ?? this.#suiteFile;
    else if (name === "testcase") this.#test = testCase(attributes, this.#suiteFile);
    else if (name === "failure" || name === "error") {
      this.#failure = { message: attributes.message ?? attributes.type ?? "", text: "" };
    }
  }

  text(text: string): void {
    const failure = this.#failure;
    if (failure === undefined || failure.text.length >= MAX_TEXT_CHARS) return;
    failure.text += text.slice(0, MAX_TEXT_CHARS - failure.text.length);
  }

  close(): void {
    const name = this.#names.pop();
    if (name === "testcase") this.#test = undefined;
    if ((name !== "failure" && name !== "error") || this.#failure === undefined) return;
    if (this.found.length < MAX_RAW_FINDINGS) this.found.push(this.#finding(this.#failure));
    this.#failure = undefined;
  }

  #finding({ message, text }: { readonly message: string; readonly text: string }): RawFinding {
    const { name = "", className = "", place = {} } = this.#test ?? {};
    const traced = positionInTrace(text);
    const goPackage = traced.file?.endsWith(".go") === true ? { goPackage: className } : {};
    return {
      ...(traced.file === undefined ? place : { ...traced, ...goPackage }),
      severity: "error",
      ...(name === "" ? {} : { rule: name }),
      message: message.trim() === "" ? messageOfTrace(text) : message,
    };
  }
}

/** Ruff and Vitest have the path of the file as the name of the suite. */
function suiteFile({ file, name = "" }: SaxesTagPlain["attributes"]): string | undefined {
  return file ?? (/^[^\s<>]*\/[^\s<>/]*\.\w{1,5}$/.test(name) ? name : undefined);
}

function testCase(
  { name = "", classname = "", file, line, column }: SaxesTagPlain["attributes"],
  ofSuite: string | undefined
): TestCase {
  const [at, atColumn] = [positionOf(line), positionOf(column)];
  // Vitest has the path of the file as the name of the class.
  const isPath = /^[^\s<>]*\.[cm]?[jt]sx?$/.test(classname);
  const path = file ?? ofSuite ?? (isPath ? classname : undefined);
  return {
    name,
    className: classname,
    place: {
      ...(path === undefined ? {} : { file: path }),
      ...(at === undefined ? {} : { line: at }),
      ...(atColumn === undefined ? {} : { column: atColumn }),
    },
  };
}
