/**
 * Identifies failures, so that another run recognizes them at other lines (G43): defines a recorded failure and its
 * key, reads the source lines of findings, masks the parts of texts that differ by run, and finds lines of the output
 * that report other problems than the findings.
 */
import * as z from "zod/mini";
import { sha256 } from "@/common/hash";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { clip } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";

const text = z.optional(z.string());

/** One failure of a record: a failed test, a finding, or a line of the output. */
export const failureSchema = z.object({
  /** Relative to the project. */
  file: text,
  /** The suites and the name of a test. */
  test: text,
  rule: text,
  /** The masked message of a finding without a rule. */
  message: text,
  /** Digest of the trimmed text of its line. */
  text,
  /** A masked line of the output of a check. */
  line: text,
  /** From 2: the index among equal ones. */
  nth: z.optional(z.int()),
  /** Digest of a test's masked message and of the line where it failed. Not part of its identity. */
  how: text,
  /** It occurred in one of two runs, so it is not known. */
  flaky: z.optional(z.boolean()),
});
export type KnownFailure = Readonly<z.infer<typeof failureSchema>>;

/** A finding of a run, as a failure of a record would have it. */
export interface Identified {
  readonly finding: Finding;
  readonly failure: KnownFailure;
}

/** Returns the text of a line, from 1, or undefined if it cannot be read. */
export type LineText = (file: string, line: number) => string | undefined;

/** The number of files that are read at the same time, so that few are in memory. */
const MAX_OPEN_FILES = 20;
const MAX_FILE_BYTES = MIB;

/** Reads the lines of findings. A file that cannot be read has none. */
export async function readLines(
  { runtime, projectDir }: { readonly runtime: HookRuntime; readonly projectDir: string },
  findings: readonly Finding[]
): Promise<LineText> {
  const wanted = new Map<string, Map<number, string | undefined>>();
  for (const { file, line } of findings) {
    if (file === undefined || line === undefined || /^(?:\/|\.\.\/)/.test(file)) continue;
    const lines = wanted.get(file) ?? new Map<number, string | undefined>();
    wanted.set(file, lines.set(line, undefined));
  }
  const files = [...wanted];
  for (let i = 0; i < files.length; i += MAX_OPEN_FILES) {
    await Promise.all(
      files.slice(i, i + MAX_OPEN_FILES).map(async ([file, lines]) => {
        const text = await readText(runtime, `${projectDir}/${file}`, { maxBytes: MAX_FILE_BYTES });
        const all = text?.split("\n");
        for (const line of lines.keys()) lines.set(line, all?.[line - 1]);
      })
    );
  }
  return (file, line) => wanted.get(file)?.get(line);
}

const HASH_CHARS = 12;
const MAX_MASKED_CHARS = 300;

/**
 * Returns the findings with their identity. Equal ones are counted in the order of their lines.
 *
 * @param counts by key, how many were counted before
 */
export function identify(
  findings: readonly Finding[],
  lineText: LineText,
  counts = new Map<string, number>()
): Identified[] {
  // A note belongs to another finding.
  return findings
    .filter(({ severity }) => severity !== "info")
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map((finding) => {
      const failure = failureOf(finding, lineText);
      const key = keyOf(failure);
      const nth = (counts.get(key) ?? 0) + 1;
      counts.set(key, nth);
      return { finding, failure: nth === 1 ? failure : { ...failure, nth } };
    });
}

/** Returns a text that two failures have in common only if they are the same one. */
export function keyOf({ file, test, rule, message, text, line, nth }: KnownFailure): string {
  return JSON.stringify([file, test, rule, message, text, line, nth].map((part) => part ?? 0));
}

/** Returns the key of a test whose name is unique, wherever and however often it fails. No failure has it. */
export function nameKeyOf(test: string | undefined): string {
  return keyOf({ test, line: "" });
}

/** Returns the file and the test of a key. Keys come from files that something else may have changed. */
export function placeOfKey(key: string): { readonly file?: string; readonly test?: string } {
  const parts = parseJson(key).unwrapOr(undefined);
  const [file, test] = (Array.isArray(parts) ? parts : []) as readonly unknown[];
  return {
    ...(typeof file === "string" ? { file } : {}),
    ...(typeof test === "string" ? { test } : {}),
  };
}

function failureOf(finding: Finding, lineText: LineText): KnownFailure {
  const { file, line, rule, test, testFile = file, message } = finding;
  const read = file === undefined || line === undefined ? "" : lineText(file, line);
  const place = read?.trim() ?? "";
  if (test !== undefined) {
    return {
      file: testFile,
      test,
      how: sha256(`${maskNumbers(message)}\n${file}\n${place}`, HASH_CHARS),
    };
  }
  const text = place === "" ? undefined : sha256(place, HASH_CHARS);
  const isByRule = rule !== undefined && read !== undefined;
  return { file, rule, text, message: isByRule ? undefined : maskNumbers(message) };
}

/** Masks what differs between two runs on the same files. Numbers stay, because they may count problems. */
export function maskLine(line: string): string {
  return short(withoutVolatile(line));
}

/** Masks numbers as well, for the messages of findings and the lines beside them. */
export function maskNumbers(message: string): string {
  return short(withoutVolatile(message).replace(/\d+/g, "#"));
}

function withoutVolatile(text: string): string {
  return VOLATILE.reduce(
    (masked, [expression, mark]) => masked.replace(expression, mark),
    text.trim()
  );
}

function short(text: string): string {
  if (text.length <= MAX_MASKED_CHARS) return text;
  return `${clip(text, MAX_MASKED_CHARS)} ${sha256(text, HASH_CHARS)}`;
}

/** In the order in which they are replaced. A position such as `a.c:12:34` is not a time. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "<id>"],
  [/(?<![\w.-])(?:\/private)?\/(?:var\/folders|var\/tmp|tmp)\/[^\s:'")\]]+/g, "<tmp>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<date>"],
  [/(?:\b127\.0\.0\.1|\blocalhost|\b0\.0\.0\.0|\[::1?\]):\d+/g, "<port>"],
  [/(?<![\w:.])\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?(?: ?[AP]M\b)?| ?[AP]M\b)/g, "<time>"],
  [/\b0x[0-9a-f]+/gi, "<address>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, "<hash>"],
  [
    /\b\d+(?:[.,]\d+)? ?(?:ns|µs|μs|us|ms|s|sec|secs|seconds?|m|min|mins|minutes?)\b(?: ?\d+(?:\.\d+)? ?(?:ms|s)\b)?/g,
    "<time>",
  ],
];

const ERROR_LINE =
  /error|fail|fatal|exception|assert|panic|cannot|could not|undefined|not found|\bnot ok\b|✗|✕|✘|✖|×/i;

/** Lines that npm prints about itself, at times of its own. */
const NOTICE = /^npm (?:notice|warn|WARN)\b/;

/** Returns the masked lines of an output, each once, without blank ones. */
export function maskedLines(lines: Iterable<string>): Set<string> {
  const masked = new Set([...lines].map(maskLine));
  return new Set([...masked].filter((line) => line !== "" && !NOTICE.test(line)));
}

const MIN_DISTINCT_CHARS = 8;

/** Returns how often each line occurs. */
export function countLines(lines: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/**
 * Returns the masked lines of an output that name a problem and are not about its findings: what another tool printed.
 * A line is about a finding if it has its message, its test, its rule or its position, or only a word and its file.
 */
export function otherErrors(lines: Iterable<string>, findings: readonly Finding[]): string[] {
  const about = new Set<string>();
  const positions = new Set<string>();
  for (const { file, line = 0, rule, test, message } of findings) {
    const name = file?.slice(file.lastIndexOf("/") + 1);
    if (name !== undefined) positions.add(name).add(`${name} ${line}`);
    for (const part of [rule, test?.split(" > ").at(-1), message.slice(0, 60)]) {
      if (part !== undefined && part.length >= 3) about.add(part);
    }
  }
  const marks = [...about].filter(
    (part) => part.length >= MIN_DISTINCT_CHARS || /[./-]/.test(part)
  );
  const isOther = (line: string): boolean =>
    ERROR_LINE.test(line) &&
    !marks.some((mark) => line.includes(mark)) &&
    !hasPosition(line, positions);
  return [...lines].filter(isOther).map(maskNumbers);
}

const POSITION = /(?::|\(|", line )(\d+)/g;
const SEPARATOR = /[\s/\\:"'()[\]]/;
const MAX_NAME_CHARS = 255;

/** Returns whether a line has a file and line such as `src/a.js:1`, `a.ts(1,2)` or `"a.py", line 1`, or only a file. */
function hasPosition(line: string, positions: ReadonlySet<string>): boolean {
  const words = line.trim().split(/\s+/);
  const last = words.at(-1) ?? "";
  if (words.length <= 2 && positions.has(last.slice(last.lastIndexOf("/") + 1))) return true;
  for (const { index, 1: at = "" } of line.matchAll(POSITION)) {
    let start = index;
    const first = Math.max(0, index - MAX_NAME_CHARS);
    while (start > first && !SEPARATOR.test(line.charAt(start - 1))) start--;
    if (positions.has(`${line.slice(start, index)} ${at}`)) return true;
  }
  return false;
}
