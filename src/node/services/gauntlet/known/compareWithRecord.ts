/**
 * Separates the new failures of a check's run from those in its record of known failures, also after files were
 * renamed, finds recorded failures that did not occur, and decides whether the run came as far as the recorded one
 * (G43, G45 to G47).
 */
import type { KnownRecord } from "@/node/services/gauntlet/known/failureStore";
import { posix } from "node:path";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/collectFindings";
import {
  countLines,
  identify,
  keyOf,
  maskedLines,
  nameKeyOf,
  otherErrors,
  placeOfKey,
  type Identified,
  type KnownFailure,
  type LineText,
} from "@/node/services/gauntlet/known/failureIdentity";
import type { SinceRecord } from "@/node/services/gauntlet/known/sinceRecord";

/** The failures of a run, compared with a record. */
export interface Judgment {
  readonly fresh: readonly Identified[];
  readonly known: readonly Identified[];
  /** Why the run does not count as one that has only known failures. */
  readonly doubt?: Doubt | undefined;
  /** The number of known tests that failed in another way than recorded. */
  readonly differing: number;
  /** Whether all new failures were flaky in the record, or fixed since, so that another run may pass. */
  readonly mayPass: boolean;
  /** Whether the check is known only by the lines of its output. */
  readonly isByLines: boolean;
  /** Keys in the record of known failures that did not occur. */
  readonly gone: readonly string[];
}

/** The reason as the rest of a sentence about the check, and the line of its output that it is about. */
export interface Doubt {
  readonly text: string;
  readonly about?: readonly string[];
}

export interface JudgedRun {
  readonly findings: readonly Finding[];
  readonly evidence: CheckEvidence;
  readonly lineText: LineText;
  /** Whether its command ran whole: not with some of the files, and not `rerun_command`. */
  readonly isWhole: boolean;
}

export interface Recorded {
  readonly record: KnownRecord;
  readonly since: SinceRecord;
  /** Keys of failures that were fixed since (G47). */
  readonly fixed: ReadonlySet<string>;
  /** Keys of new failures of this user's turn, which never become known. */
  readonly unresolved: ReadonlySet<string>;
}

/**
 * Compares a run with a record. Failures of the record that are flaky, were fixed since, or are unresolved in the
 * user's turn count as new.
 */
export function judge(run: JudgedRun, recorded: Recorded): Judgment {
  const { record, since, fixed, unresolved } = recorded;
  const entries = entriesNow(record.failures, since);
  const identified = identifyOldAndAdded(run, since);
  const entryOf = ({ failure, finding: { test = "" } }: Identified) =>
    (run.evidence.unique.has(test) ? entries.get(nameKeyOf(test)) : undefined) ??
    entries.get(keyOf(failure));
  /** `again`: it was flaky when the record was made, or was fixed since. */
  const kindOf = (one: Identified): "known" | "again" | "new" => {
    const entry = entryOf(one);
    if (entry === undefined || unresolved.has(keyOf(one.failure))) return "new";
    return entry.failure.flaky === true || fixed.has(entry.key) ? "again" : "known";
  };
  const isKnown = (one: Identified): boolean => kindOf(one) === "known";
  const known = identified.old.filter(isKnown);
  const fresh = [...identified.added, ...identified.old.filter((one) => !isKnown(one))];
  const ways = new Set(record.failures.flatMap(({ how }) => how ?? []));
  const differing = known.filter(
    (one) => entryOf(one)?.failure.how !== undefined && !ways.has(one.failure.how ?? "")
  );
  const mayPass = fresh.length > 0 && fresh.every((one) => kindOf(one) === "again");
  const lines = countLines(record.failures.flatMap(({ line }) => line ?? []));
  const isByLines = run.findings.length === 0 && record.failures.every(({ line }) => line);
  const hasOnlyNotes = run.findings.length > 0 && known.length + fresh.length === 0;
  const doubt = hasOnlyNotes
    ? { text: "it printed only notes" }
    : (doubtOf(run, record) ??
      newLine(run, lines, isByLines, record) ??
      (fresh.length === 0 || mayPass ? unseenFailure(run, record) : undefined));
  const found = [...identified.old, ...identified.added];
  const seen = new Set(found.flatMap((one) => entryOf(one)?.key ?? []));
  const gone = [...entries].flatMap(([now, { failure, key }]) => {
    const isFailing = seen.has(key) || run.evidence.unique.has(placeOfKey(now).test ?? "");
    const counts = failure.line === undefined && failure.flaky !== true && !fixed.has(key);
    return counts && !isFailing ? key : [];
  });
  const tests = new Set(differing.map(({ failure: { file, test } }) => `${file} ${test}`));
  return {
    ...{ fresh, known, differing: tests.size, mayPass, isByLines, doubt },
    gone: [...new Set(gone)],
  };
}

/** Returns the failures of a record by their current keys, with those that they have in the record. */
function entriesNow(
  failures: readonly KnownFailure[],
  since: SinceRecord
): ReadonlyMap<string, { readonly failure: KnownFailure; readonly key: string }> {
  const now = followRenames(failures, since.renamed);
  const entries = failures.map((failure, i) => {
    const entry = { failure, key: keyOf(failure) };
    // The name of a test without a file may have a word of the old path, and not mean the file.
    const isGuess = failure.file === undefined && now[i] !== failure;
    const { test } = now[i] ?? failure;
    const keys = [keyOf(now[i] ?? failure), ...(isGuess ? [entry.key] : [])];
    const isFirst = failure.nth === undefined && failure.flaky !== true;
    if (test !== undefined && isFirst) keys.push(nameKeyOf(test));
    return keys.map((key) => [key, entry] as const);
  });
  return new Map(entries.flat());
}

/** Identifies the findings. Counts those on added lines after equal old ones, so that none gets the key of these. */
function identifyOldAndAdded(
  { findings, lineText }: JudgedRun,
  { added, removed }: SinceRecord
): { readonly old: Identified[]; readonly added: Identified[] } {
  // A test is recognized wherever it fails.
  const isOnAdded = ({ file = "", line = 0, test }: Finding): boolean =>
    test === undefined && added.get(file)?.has(line) === true;
  const textOf = ({ file = "", line = 0 }: Finding): string => added.get(file)?.get(line) ?? "";
  const placeOf = ({ file = "", line = 0 }: Finding): string => `${line} ${file}`;
  // A line may have several findings, and is counted once.
  const places = new Map(findings.filter(isOnAdded).map((one) => [placeOf(one), textOf(one)]));
  const moved = movedLines([...places.values()], added, removed);
  const newPlaces = new Set<string>();
  for (const [place, text] of places) {
    const left = moved.get(text) ?? 0;
    moved.set(text, left - 1);
    if (left <= 0) newPlaces.add(place);
  }
  const isNew = (one: Finding): boolean => one.test === undefined && newPlaces.has(placeOf(one));
  const isOld = (one: Finding): boolean => !isNew(one);
  const counts = new Map<string, number>();
  return {
    old: identify(findings.filter(isOld), lineText, counts),
    added: identify(findings.filter(isNew), lineText, counts),
  };
}

/**
 * Returns how many of the added lines with findings may be moved ones: the number of removed lines with the same text,
 * without those that may have become an added line that has no finding.
 */
function movedLines(
  texts: readonly string[],
  added: SinceRecord["added"],
  removed: SinceRecord["removed"]
): Map<string, number> {
  const moved = countLines(texts);
  const others = new Map([...moved].map(([text, count]) => [text, -count]));
  for (const lines of added.values()) {
    for (const text of lines.values()) {
      const count = others.get(text);
      if (count !== undefined) others.set(text, count + 1);
    }
  }
  const left = (text: string): number =>
    text === "" ? 0 : (removed.get(text) ?? 0) - Math.max(0, others.get(text) ?? 0);
  return new Map([...moved.keys()].map((text) => [text, left(text)]));
}

/** Returns why a run did not come as far as the recorded one, or undefined if it did (G46). */
function doubtOf(
  { findings, evidence, isWhole }: JudgedRun,
  record: KnownRecord
): Doubt | undefined {
  const { exitCode, tools, hasMore } = evidence;
  if (hasMore) return { text: "it may have more problems than are read" };
  const isCount = exitCode === findings.length && countsFailures(record);
  if (exitCode !== record.exit && !isCount) {
    return { text: `it exited with code ${exitCode ?? "?"}, not with ${record.exit} as recorded` };
  }
  for (const [tool, ran] of Object.entries(record.tools)) {
    const now = tools.get(tool);
    if (now === undefined)
      return { text: `${tool} printed no result, unlike when they were recorded` };
    const count = now.passed + now.failed;
    if (isWhole && now.isPartial !== true && count < ran) {
      return { text: `${count} tests of ${tool} ran, and ${ran} ran when they were recorded` };
    }
  }
  const isSilent = findings.length === 0 && Object.keys(record.tools).length > 0;
  return isSilent ? { text: "it printed no finding, unlike when they were recorded" } : undefined;
}

/** Returns the doubt if more failed tests than in the record have no finding, so that they cannot be recognized. */
function unseenFailure({ evidence }: JudgedRun, { unseen }: KnownRecord): Doubt | undefined {
  if (unseen === undefined) return undefined;
  const found = [...evidence.tools].find(([tool, now]) => (now.unseen ?? 0) > (unseen[tool] ?? 0));
  return found && { text: `${found[0]} counted more failed tests than it named` };
}

/** Returns whether the exit code of a record may be its number of failures, as with Mocha. Some may be flaky. */
function countsFailures({ exit, failures }: KnownRecord): boolean {
  const found = failures.filter(({ line }) => line === undefined);
  const stable = found.filter(({ flaky }) => flaky !== true);
  const hasTests = found.some(({ test }) => test !== undefined);
  return hasTests && exit >= Math.max(1, stable.length) && exit <= found.length;
}

/** Returns the doubt if the output has a line that a record of lines, or of several tools, does not have. */
function newLine(
  { evidence, findings }: JudgedRun,
  lines: ReadonlyMap<string, number>,
  isByLines: boolean,
  { isCompound = false }: KnownRecord
): Doubt | undefined {
  if (lines.size === 0 && findings.length === 0) return { text: "this failure is not among them" };
  if (lines.size === 0 && !isCompound) return undefined;
  if (evidence.isOutputCut) return { text: "its output is too long to be compared" };
  const printed = isByLines ? maskedLines(evidence.lines) : otherErrors(evidence.lines, findings);
  const now = countLines(printed);
  if (isByLines && now.size === 0) return { text: "it printed nothing" };
  const [line] = [...now].find(([one, count]) => count > (lines.get(one) ?? 0)) ?? [];
  return line === undefined
    ? undefined
    : { text: "its output has a line that was not recorded:", about: [line] };
}

type Names = ReadonlyMap<string, string>;

/** Returns the failures with the current names of their files, also in the names of their tests. */
function followRenames(failures: readonly KnownFailure[], renamed: Names): readonly KnownFailure[] {
  if (renamed.size === 0) return failures;
  const whole = new Map([...renamed].flatMap(([from, to]) => namesOf(from, to, 1)));
  return failures.map((failure) => {
    const { file, test } = failure;
    const now = file === undefined ? undefined : renamed.get(file);
    const own = file === undefined || now === undefined ? whole : new Map(namesOf(file, now));
    return { ...failure, file: now ?? file, test: test && renameTest(test, own) };
  });
}

/** The languages whose tools name a test by the path of its file in packages, with dots. */
const MODULES = /\.(?:py|java|kt|groovy|scala)$/;

/**
 * Returns how the name of a test may begin because of its file, before and after: with the path, the module or the
 * class. The command may run in each of the folders that both paths have, of which `limit` are tried.
 */
function namesOf(from: string, to: string, limit = MAX_SEGMENTS): [string, string][] {
  const [before, after] = [from.split("/"), to.split("/")];
  const found: [string, string][] = [];
  for (let i = 0; i < Math.min(before.length, after.length, limit); i++) {
    if (i > 0 && before[i - 1] !== after[i - 1]) break;
    const [old, now] = [before.slice(i).join("/"), after.slice(i).join("/")];
    found.push([old, now]);
    if (MODULES.test(from)) found.push([withoutExtension(old, "."), withoutExtension(now, ".")]);
    // The namespaces of PHP are not its folders.
    const isClass = from.endsWith(".php") && !old.includes("/") && !now.includes("/");
    if (isClass)
      found.push([withoutExtension(`\\${old}`, "\\"), withoutExtension(`\\${now}`, "\\")]);
  }
  return found;
}

function withoutExtension(path: string, separator: string): string {
  return path.slice(0, path.length - posix.extname(path).length).replaceAll("/", separator);
}

const MAX_SEGMENTS = 20;

/** Replaces the beginning of the name of a test, which ends where a class or a method begins. */
function renameTest(test: string, names: Names): string {
  const [suite = ""] = test.split(" > ", 1);
  const start = suite.lastIndexOf("\\") + 1;
  const from = start === 0 ? 0 : start - 1;
  let end = suite.length;
  for (let i = 0; i < MAX_SEGMENTS && end > from; i++) {
    const now = names.get(suite.slice(from, end));
    if (now !== undefined) return `${suite.slice(0, from)}${now}${test.slice(end)}`;
    end = Math.max(suite.lastIndexOf(".", end - 1), suite.lastIndexOf("$", end - 1));
  }
  return test;
}
