/** Finds the failures of pytest: its short summary, with the lines that the tracebacks above it name. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/rawFinding";

const SUMMARY = /^(?:FAILED|ERROR) (\S[^:]*?\.py)(?:::(\S.*))?$/;
/** An error without a test: the file follows the name, as in `ERROR tests/test_a.py - ImportError: no module`. */
const FILE_ERROR = /^ERROR (\S[^:]*?\.py) - (.*)$/;
const HEADING = /^_{3,} (.+?) _{3,}$/;
const TRACED = /^(\S[^:]*\.py):(\d+): (\S.*)$/;

interface Traced {
  readonly file: string;
  readonly line: number | undefined;
}

export function pytestFailures(lines: readonly string[]): RawFinding[] {
  const found: RawFinding[] = [];
  const traced = new Map<string, Traced>();
  let heading = "";
  for (const line of lines) {
    if (found.length >= MAX_RAW_FINDINGS) break;
    heading = HEADING.exec(line)?.[1] ?? heading;
    const [, file, at] = TRACED.exec(line) ?? [];
    // The last line of a traceback is where the error was raised.
    if (file !== undefined) traced.set(heading, { file, line: positionOf(at) });
    const finding = fileError(line, traced) ?? failure(line, traced);
    if (finding !== undefined) found.push(finding);
  }
  return found;
}

function fileError(line: string, traced: ReadonlyMap<string, Traced>): RawFinding | undefined {
  const [, file, message] = FILE_ERROR.exec(line) ?? [];
  if (file === undefined || message === undefined) return undefined;
  return { ...at(file, traced.get(`ERROR collecting ${file}`)), severity: "error", message };
}

function failure(line: string, traced: ReadonlyMap<string, Traced>): RawFinding | undefined {
  const [, file, rest = "failed"] = SUMMARY.exec(line) ?? [];
  if (file === undefined) return undefined;
  const end = rest.indexOf(" - ");
  const test = end === -1 ? rest : rest.slice(0, end);
  const message = end === -1 ? "failed" : rest.slice(end + 3);
  // The heading separates the class from the method by a dot.
  const name = test.replaceAll("::", ".");
  const place =
    traced.get(name) ??
    traced.get(`ERROR at setup of ${name}`) ??
    traced.get(`ERROR at teardown of ${name}`);
  return { ...at(file, place), severity: "error", rule: test, message };
}

function at(file: string, place: Traced | undefined): Pick<RawFinding, "file" | "line"> {
  return place?.line === undefined ? { file } : { file: place.file, line: place.line };
}
