/** Finds the lines of a log that help most, and combines equal ones (G26). */

/** The priority of a line in an excerpt. The lowest is kept first. */
const PRIORITIES = {
  ...{ advice: 0, failure: 1, error: 2, other: 3 },
  ...{ frame: 4, passed: 5, foreignFrame: 6, blank: 7 },
};

/** The last ones are enough; the others count as failures. */
const MAX_ADVICE = 8;

const HELP = /\b(?:help|hint): /i;
/** Matches the summaries of test runners and linters: `Tests: 2 failed, 10 passed`, `✖ 5 problems`. */
const SUMMARY =
  /\b\d+ (?:tests? )?(?:failed|failing|passed|passing|problems?|errors?|failures?|warnings?)\b|\bFAILED \(|^test result: /i;
const FAILURE =
  /[✘✖✗✕●]|^\s*×|\bFAIL(?:ED|URE)?\b|error(?:\[\w+\])?:|^\s*\d+\) |^\s*not ok\b|\bpanicked\b/i;
const ERROR =
  /error|fail|fatal|exception|assert|panic|expected|cannot|not found|n't\b|no such|missing|invalid|denied|refused|unable/i;
/** Many failures with one cause repeat its line. */
const REPEATED = / \(× \d+\)$/;
/** Matches the line of a test that passed. */
const PASSED = /^\s*(?:(?:--- )?PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT|NAME)\b|--- SKIP\b|[✓✔√]|ok\s)/;

/** Matches stack frames of JavaScript, Java, C#, Python, Ruby, Rust, Go and PHP. */
const FRAME =
  /^\s*(?:at\s|File "[^"]*", line \d|(?:from )?[^\s:]+:\d+:in\b|\d+:\s+(?:0x[\da-f]+ - )?[^\s:]*::|goroutine \d+ \[|created by \S|\S+\.go:\d+ \+0x|[\w./*()-]+\((?:0x|\{0x|\.\.\.\))|#\d+\s)/;
const PYTHON_FRAME = /^\s*File "/;
const FOREIGN =
  /node_modules|node:|\(<anonymous>\)|site-packages|dist-packages|lib\/python\d|<frozen |\/gems\/|\bvendor\/|\/rustc\/|\b(?:std|core|alloc|tokio)::|\/go\/pkg\/mod\/|\/usr\/(?:local\/)?(?:lib|go|share)\/|\b(?:runtime|testing)[./]|\bjava\.|\bSystem\./;

/** Returns the priority of each line. */
export function prioritiesOf(lines: readonly string[]): number[] {
  const priorities: number[] = [];
  for (const [i, line] of lines.entries()) {
    const before = lines[i - 1];
    const isSource =
      before !== undefined && PYTHON_FRAME.test(before) && indentOf(line) > indentOf(before);
    priorities.push(isSource ? (priorities[i - 1] ?? 0) : priorityOf(line));
  }
  let advice = 0;
  for (let i = priorities.length - 1; i >= 0; i--) {
    if (priorities[i] === PRIORITIES.advice && ++advice > MAX_ADVICE) {
      priorities[i] = PRIORITIES.failure;
    }
  }
  return priorities;
}

function priorityOf(line: string): number {
  if (line.trim() === "") return PRIORITIES.blank;
  if (FRAME.test(line)) return FOREIGN.test(line) ? PRIORITIES.foreignFrame : PRIORITIES.frame;
  if (PASSED.test(line)) return PRIORITIES.passed;
  if (REPEATED.test(line) && ERROR.test(line)) return PRIORITIES.advice;
  if (HELP.test(line) || SUMMARY.test(line)) return PRIORITIES.advice;
  if (FAILURE.test(line)) return PRIORITIES.failure;
  return ERROR.test(line) ? PRIORITIES.error : PRIORITIES.other;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Combines consecutive equal lines into one with their number. Ignores spaces at their ends. */
export function withoutRepetitions(text: string): string {
  const counts: Counted[] = [];
  for (const full of text.split("\n")) {
    const line = full.trimEnd();
    const last = counts.at(-1);
    if (last?.line === line) last.count++;
    else counts.push({ line, count: 1 });
  }
  return joined(counts);
}

/** Combines all equal lines into the first of them, with their number. */
export function withoutEqualLines(text: string): string {
  const counts: Counted[] = [];
  const known = new Map<string, Counted>();
  for (const full of text.split("\n")) {
    const line = full.trimEnd();
    const same = known.get(line);
    if (same !== undefined) {
      same.count++;
      continue;
    }
    const counted = { line, count: 1 };
    counts.push(counted);
    // A short line, such as a bracket, is no problem of its own.
    if (line.trim().length >= MIN_EQUAL) known.set(line, counted);
  }
  return joined(counts);
}

const MIN_EQUAL = 3;

interface Counted {
  readonly line: string;
  count: number;
}

function joined(counts: readonly Counted[]): string {
  return counts
    .map(({ line, count }) => (count === 1 || line === "" ? line : `${line} (× ${count})`))
    .join("\n");
}
