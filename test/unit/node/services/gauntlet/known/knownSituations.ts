/** What happened to the failures of a check between its record and a run. */

export interface Problem {
  /** The short name of a file. */
  readonly file: string;
  /** The line of the file with this text. */
  readonly at: string;
  readonly test: string;
  readonly rule: string;
  readonly message: string;
}

export interface Situation {
  readonly name: string;
  /** `go`: all failures are old. `again`: the check runs once more. `block`: something is new. */
  readonly expected: "go" | "again" | "block";
  /** The lines of each file. Those of {@link FILES} when the record was made. */
  readonly now: Files;
  /** The problems of the two runs of the record. */
  readonly recorded: readonly [readonly Problem[], readonly Problem[]];
  readonly found: readonly Problem[];
  readonly fresh: readonly Problem[];
  /** Problems of a second tool in the same log. */
  readonly second?: Pick<Situation, "recorded" | "found" | "fresh"> | undefined;
  /** What an unknown script prints after the tool, in the record and now. `PATH` is that of the file `one`. */
  readonly script?: readonly [string, string] | undefined;
  /** Whether tools that only report files can show it. */
  readonly needsLines?: boolean | undefined;
}

export type Files = Readonly<Record<string, readonly string[]>>;

const lines = (name: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${name} code ${from + i}`);

const ONE = lines("one", 1, 20);
const TWO = lines("two", 1, 20);
export const FILES: Files = { one: ONE, two: TWO };
const withLine = (file: readonly string[], line: string): string[] => [...file, line];

const problem = (file: string, at: string, test: string, more: Partial<Problem> = {}): Problem => ({
  ...{ file, at, test, rule: "no-bad", message: "expected a good value" },
  ...more,
});

const OLD = problem("one", "one code 5", "testOld");
const OTHER = problem("one", "one code 9", "testOther", {
  ...{ rule: "no-other", message: "another value is bad" },
});
/** Of another file, so that tools that only report files show it as well. */
const NEW = problem("two", "two added", "testNew");
const WITH_NEW: Files = { one: ONE, two: withLine(TWO, "two added") };
const WITH_FIXED = { ...FILES, one: ONE.map((line) => (line === OLD.at ? "one fixed" : line)) };
const RENAMED = { three: ONE, two: TWO };

function situation(
  name: string,
  expected: Situation["expected"],
  changed: Partial<Situation>
): Situation {
  const recorded = [
    [OLD, OTHER],
    [OLD, OTHER],
  ] as const;
  return {
    ...{ name, expected, now: FILES, recorded, found: [OLD, OTHER], fresh: [] },
    ...changed,
  };
}

const numbered = (port: number): Problem[] => [
  {
    ...OLD,
    message: `connect ECONNREFUSED 127.0.0.1:${port} after ${port % 100} ms, seed ${port}`,
  },
];

export const SITUATIONS: readonly Situation[] = [
  situation("old only", "go", {}),
  situation("old only, other files changed", "go", { now: WITH_NEW }),
  situation("old only, in a script", "go", { script: ["all fine\n", "all fine\n"] }),
  situation("old and new", "block", { now: WITH_NEW, found: [OLD, OTHER, NEW], fresh: [NEW] }),
  situation("new in the same file", "block", {
    now: { ...FILES, one: withLine(ONE, "one added") },
    found: [OLD, OTHER, { ...NEW, file: "one", at: "one added" }],
    fresh: [{ ...NEW, file: "one", at: "one added" }],
    needsLines: true,
  }),
  situation("new on an unchanged line", "block", {
    now: WITH_NEW,
    found: [OLD, OTHER, { ...NEW, file: "one", at: "one code 12" }],
    fresh: [{ ...NEW, file: "one", at: "one code 12" }],
    needsLines: true,
  }),
  situation("moved 40 lines", "go", {
    now: { ...FILES, one: [...lines("one new", 1, 40), ...ONE] },
  }),
  situation("cut and pasted", "go", {
    now: { ...FILES, one: [...ONE.slice(10), ...lines("one new", 1, 3), ...ONE.slice(0, 10)] },
    recorded: [
      [OLD, { ...OTHER, at: OLD.at }],
      [OLD, { ...OTHER, at: OLD.at }],
    ],
    found: [OLD, { ...OTHER, at: OLD.at }],
  }),
  situation("renamed", "go", {
    now: RENAMED,
    found: [OLD, OTHER].map((one) => ({ ...one, file: "three" })),
  }),
  situation("renamed, in a script", "go", {
    now: RENAMED,
    found: [OLD, OTHER].map((one) => ({ ...one, file: "three" })),
    script: ["all fine\n", "all fine\n"],
  }),
  situation("renamed, and new", "block", {
    now: { three: ONE, two: withLine(TWO, "two added") },
    found: [...[OLD, OTHER].map((one) => ({ ...one, file: "three" })), NEW],
    fresh: [NEW],
  }),
  situation("one fixed, one broken", "block", {
    now: WITH_FIXED,
    found: [OTHER, problem("two", "two code 12", "testNew")],
    fresh: [problem("two", "two code 12", "testNew")],
  }),
  situation("one fixed, one broken in the same file", "block", {
    now: WITH_FIXED,
    found: [OTHER, problem("one", "one fixed", "testNew")],
    fresh: [problem("one", "one fixed", "testNew")],
    needsLines: true,
  }),
  situation("one fixed", "go", { now: WITH_FIXED, found: [OTHER] }),
  situation("a; b with old ones", "go", {
    now: { ...FILES, two: lines("two new", 1, 40).concat(TWO) },
    second: { recorded: [[OLD], [OLD]], found: [OLD], fresh: [] },
  }),
  situation("a; b with a new one of b", "block", {
    now: WITH_NEW,
    second: { recorded: [[OLD], [OLD]], found: [OLD, NEW], fresh: [NEW] },
  }),
  situation("a; b, where b passed before", "block", {
    now: WITH_NEW,
    second: { recorded: [[], []], found: [NEW], fresh: [NEW] },
  }),
  situation("a new error of a script", "block", {
    now: WITH_NEW,
    script: ["all fine\n", "error: the license is missing\n"],
  }),
  situation("a new error of a script about the same file", "block", {
    now: WITH_NEW,
    script: ["error: one is too long\n", "error: one is too long\nerror: the license is missing\n"],
  }),
  situation("a new error of a script that names a file with old ones", "block", {
    now: WITH_NEW,
    script: ["error: one is too long\n", "error: one is too long\nerror: PATH is too long\n"],
  }),
  situation("changing numbers", "go", {
    recorded: [numbered(4312), numbered(50_123)],
    found: numbered(6021),
  }),
  situation("flaky", "again", {
    recorded: [[OLD, problem("two", "two code 3", "testFlaky")], [OLD]],
    found: [OLD, problem("two", "two code 3", "testFlaky")],
    fresh: [problem("two", "two code 3", "testFlaky")],
  }),
  situation("flaky in the second run", "again", {
    recorded: [[OLD], [OLD, problem("two", "two code 3", "testFlaky")]],
    found: [OLD, problem("two", "two code 3", "testFlaky")],
    fresh: [problem("two", "two code 3", "testFlaky")],
  }),
  situation("flaky and passed", "go", {
    recorded: [[OLD, problem("two", "two code 3", "testFlaky")], [OLD]],
    found: [OLD],
  }),
  situation("flaky and new", "block", {
    now: WITH_NEW,
    recorded: [[OLD, problem("two", "two code 3", "testFlaky")], [OLD]],
    found: [OLD, NEW],
    fresh: [NEW],
    needsLines: true,
  }),
];
