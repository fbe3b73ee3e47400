/**
 * Decides from the output of a failed check whether the check cannot work in this environment: a program, a browser, a
 * toolchain, a key or the network is missing, which no change of the agent caused or can fix (G49).
 *
 * A line is recognized only if it begins as the program prints it. In doubt, a failure is one like any other.
 */
import { plainText, sliceWhole, visible, clip } from "@/common/safeText";
import * as patterns from "@/node/services/gauntlet/known/environmentPatterns";

export interface EnvironmentCause {
  readonly kind: patterns.EnvironmentKind;
  /** The line of the tool: on one line, without control characters, at most 200 characters. */
  readonly line: string;
  /** The program, module, host or version that is missing; absent if the tool does not name it. */
  readonly name?: string;
}

export interface FailedOutput {
  readonly lines: readonly string[];
  readonly exitCode: number;
  /** The findings of the check. One whose message is not about the environment makes it a failure like any other. */
  readonly findings?: readonly { readonly message: string }[] | undefined;
}

export interface EnvironmentFacts {
  /**
   * Returns whether a path belongs to the project. Called with absolute paths of programs, and with the paths that a
   * module of the project would have, relative to its root (`pkg`, `pkg.py`).
   */
  readonly isInTree: (path: string) => boolean;
  /** Returns whether the paths or the lines of the change have this name: of a program, a module or a host. */
  readonly isInChange: (name: string) => boolean;
  /** Returns whether a file with this name changed, in any folder. */
  readonly isChangedFile: (name: string) => boolean;
}

const MAX_LINE_CHARS = 200;
/** Only the beginning of a longer line is examined. */
const MAX_EXAMINED_CHARS = 1_000;
/** A program that could not start another one reports it near the end, before a few lines of its callers. */
const LAST_LINES = 60;
const MAX_LINES = 20_000;

/** Returns why the check cannot work here, or undefined if it failed for a reason like any other. */
export function environmentCause(
  { lines, exitCode, findings = [] }: FailedOutput,
  facts: EnvironmentFacts
): EnvironmentCause | undefined {
  if (exitCode === 0) return undefined;
  if (findings.some(({ message }) => !isAboutEnvironment(examined(message), facts))) {
    return undefined;
  }
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  const last = lines.slice(Math.max(0, end - LAST_LINES), end).map(examined);
  const all = lines.slice(-MAX_LINES).map(examined);
  const isLaunch = [126, 127].includes(exitCode) || last.some((line) => WRAPPER.test(line));
  const launch = isLaunch ? recognized(last, patterns.LAUNCH_ROWS, facts) : undefined;
  if (launch === "ordinary") return undefined;
  if (launch !== undefined) return launch;
  for (const rows of [patterns.STARTER_ROWS, ...IN_OUTPUT]) {
    const cause = recognized(rows === patterns.STARTER_ROWS ? last : all, rows, facts);
    if (cause === "ordinary") return undefined;
    if (cause !== undefined) {
      return all.some((line) => isOrdinaryFailure(line, facts)) ? undefined : cause;
    }
  }
  return undefined;
}

const IN_OUTPUT = [
  patterns.BROWSER_ROWS,
  patterns.NETWORK_ROWS,
  patterns.MODULE_ROWS,
  patterns.KEY_ROWS,
];
const ALL_ROWS = [patterns.LAUNCH_ROWS, patterns.STARTER_ROWS, ...IN_OUTPUT].flat();

/** Returns whether a message, such as that of a finding, is only about the environment. */
function isAboutEnvironment(message: string, facts: EnvironmentFacts): boolean {
  const cause = recognized([message], ALL_ROWS, facts);
  return cause !== undefined && cause !== "ordinary";
}

function examined(line: string): string {
  return plainText(sliceWhole(line, 0, MAX_EXAMINED_CHARS)).trim();
}

/** Matches a report by make, npm, Yarn, npm-run-all, bun, pnpm, lerna or turbo that a command ended with 126 or 127. */
const WRAPPER =
  /^\S{0,60}make(?:\[\d{1,3}\])?: \*\*\* \[[^\]]{1,300}\] Error 12[67]\b|^npm (?:error|ERR!) (?:code|errno) 12[67]$|^(?:error|ERROR)(?: Command failed with exit code|: "[^"]{1,120}" exited with|: script "[^"]{1,120}" exited with code) 12[67]\b|\bsh exited \(12[67]\)$|^Exit status 12[67]$|\bexit(?:ed with)? code:? 12[67]\.?$/;

/** Returns the first cause in the lines. `ordinary`: it concerns the project, the change or this machine. */
function recognized(
  lines: readonly string[],
  rows: readonly patterns.EnvironmentRow[],
  facts: EnvironmentFacts
): EnvironmentCause | "ordinary" | undefined {
  for (const line of lines) {
    if (line === "") continue;
    const text = withoutPrefixes(line);
    for (const row of rows) {
      const match = row.pattern.exec(text) ?? (text === line ? null : row.pattern.exec(line));
      if (match === null) continue;
      const host = match.groups?.host;
      const name = match.groups?.name ?? host ?? row.name;
      const isOurs = host !== undefined && !isRemote(host);
      if (isOurs || (name !== undefined && isOwn(name, row, facts))) return "ordinary";
      return { kind: row.kind, line: clip(visible(line), MAX_LINE_CHARS), name };
    }
  }
  return undefined;
}

/** Matches words before a message, but not those of an assertion, which quotes what it compares. */
const PREFIX =
  /(?:[>*|●×✗✖»•]|npm (?:error|ERR!)|\[(?:ERROR|cause)\]:?|(?:error|Error|ERROR|fatal|go|ssh|Caused by|E|cause|docker|wget)(?::|(?= {2,}))|Exception in thread "[^"]{1,80}"|\S{1,300}\.rb:\d{1,7}:in [`'][^`']{1,200}':|error(?= [A-Z"])|[\d:. -]{0,120}curl: \(\d{1,2}\)|(?!\w{0,80}Assert|java\.net\.UnknownHost)(?:[A-Za-z_$][\w$]{0,80}(?:\.|::)){0,8}(?!\w{0,80}Assert)[A-Za-z_$]{0,80}(?:Error|Exception|gaierror)(?: \[\w{1,40}\])?:)\s*/y;

function withoutPrefixes(line: string): string {
  let at = 0;
  for (let i = 0; i < 6; i++) {
    PREFIX.lastIndex = at;
    const match = PREFIX.exec(line);
    if (match === null) break;
    at += match[0].length;
  }
  return line.slice(at);
}

/** Returns whether no change can make a host reachable: it is neither this machine nor an invalid name (RFC 6761). */
function isRemote(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return !LOCAL.test(name) && !UNUSABLE.test(name);
}

const LOCAL =
  /^(?:127\.[\d.]+|::1?|::ffff:127\.[\d.]+|0\.0\.0\.0|localhost|ip6-localhost)(?::\d{1,5})?$|\.localhost$/;
const UNUSABLE = /^(?:undefined|null|nan|none|http|https|object)$|\.(?:invalid|test|example)$/;

/**
 * Returns whether the change may be why something is missing. A relative path is one of the project, unless it is in a
 * folder of installed dependencies: `node_modules/.bin/x` is missing because it was not installed.
 */
function isOwn(name: string, row: patterns.EnvironmentRow, facts: EnvironmentFacts): boolean {
  if (row.kind === "browser" || INSTALLED.test(name)) return false;
  if (row.kind === "packages") return MANIFESTS.some(facts.isChangedFile);
  if (facts.isInChange(name)) return true;
  if (row.kind !== "program") return false;
  if (row.isModule === true) return isOwnModule(name, facts);
  return name.startsWith("/") ? facts.isInTree(name) : name.includes("/");
}

/** @param name such as `pkg.part`, `lodash/fp` or `@scope/name` */
function isOwnModule(name: string, facts: EnvironmentFacts): boolean {
  // `@/lib/x` is an alias for a folder of the project.
  if (/^[@~]\/|^#/.test(name)) return true;
  if (name.startsWith("@")) return false;
  const [first = name] = name.split(/[./]/, 1);
  const paths = [first, `${first}.py`, `src/${first}`, `src/${first}.py`];
  return (first !== name && facts.isInChange(first)) || paths.some((path) => facts.isInTree(path));
}

/** The files that pnpm and Yarn compare with the installed packages. */
const MANIFESTS = [
  ...["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".npmrc"],
  ...["yarn.lock", ".yarnrc.yml"],
];

const INSTALLED = /(?:^|\/)(?:node_modules|\.?venv|vendor\/bin|\.tox|\.nox|\.bundle)\//;

/** Returns whether a line reports another failure: an assertion, or an exception that is not about the environment. */
function isOrdinaryFailure(line: string, facts: EnvironmentFacts): boolean {
  if (ASSERTION.test(line)) return true;
  return HEADLINE.test(line) && !HARMLESS.test(line) && !isAboutEnvironment(line, facts);
}

const ASSERTION =
  /^(?:E\s{1,10})?(?:assert\b|assertion\b|expected\b|Expected:|expect\(|thread '[^']{0,200}' (?:\(\d{1,20}\) )?panicked at '?assertion|Failures?: [1-9]|[^\s:]{1,200}_test\.go:\d{1,7}: (?!(?:Get|Post|Put|Head|Patch|Delete) "|dial tcp)|panic: )|^(?:E\s{1,10})?(?:[\w$]{1,80}\.){0,8}Assert\w{0,80}(?: \[\w{1,40}\])?:/;
const HEADLINE =
  /^(?:E\s{1,10}|\d{1,5}\) |Caused by: |\[cause\]: )?(?:[\w$]{1,80}(?:\.|::)){0,8}[\w$]{0,80}(?:Error|Exception|Failure)(?: \[\w{1,40}\])?:(?: |$)/;
/** Exceptions that wrap others, and lines of the callers of the program that failed. */
const HARMLESS =
  /^(?:E\s{1,10})?(?:TypeError: fetch failed$|Error: ERR_PNPM_RECURSIVE_EXEC|Error: Command failed|Error: Process completed|Usage Error:|Error Context:|\[cause\]: AggregateError|ERROR: "[^"]{1,120}" exited with)/;
