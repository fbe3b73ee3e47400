import type { KnownRecord } from "@/node/services/gauntlet/known/failureStore";
import { describe, expect, test } from "vitest";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/collectFindings";
import { identify, keyOf } from "@/node/services/gauntlet/known/failureIdentity";
import { judge } from "@/node/services/gauntlet/known/compareWithRecord";
import { parseDiff, type SinceRecord } from "@/node/services/gauntlet/known/sinceRecord";

type Files = Readonly<Record<string, readonly string[]>>;

const ID = "0".repeat(40);
const SAME: SinceRecord = { renamed: new Map(), added: new Map(), paths: [], removed: new Map() };

const finding = (file: string, line: number, more: Partial<Finding> = {}): Finding => ({
  ...{ file, line, severity: "error", rule: "no-bad", message: "bad" },
  ...more,
});
const failed = (file: string | undefined, name: string): Finding => ({
  ...{ file, severity: "error", rule: name, test: name, message: "failed" },
});

const lineText =
  (files: Files) =>
  (file: string, line: number): string | undefined =>
    files[file]?.[line - 1];

const ran = (tool: string, passed: number, of: number): CheckEvidence["tools"] =>
  new Map([[tool, { passed, failed: of, skipped: 0 }]]);

interface Case {
  readonly recorded: readonly Finding[];
  readonly found: readonly Finding[];
  readonly before?: Files;
  readonly now?: Files;
  readonly since?: SinceRecord;
  readonly record?: Partial<KnownRecord>;
  readonly evidence?: Partial<CheckEvidence>;
  readonly fixed?: readonly Finding[];
  readonly unresolved?: readonly Finding[];
  readonly isWhole?: boolean;
}

const freshOf = (one: Case): string[] => judged(one).fresh;

function judged({ recorded, found, before = {}, now = before, since = SAME, ...more }: Case) {
  const failures = identify(recorded, lineText(before)).map(({ failure }) => failure);
  const head = { check: "it", command: "", commit: ID, tree: ID, at: "2026-01-01", exit: 1 };
  const keys = (findings: readonly Finding[] = []): Set<string> =>
    new Set(identify(findings, lineText(before)).map(({ failure }) => keyOf(failure)));
  const { fresh, doubt, known, ...rest } = judge(
    {
      findings: found,
      evidence: {
        ...{ tools: new Map(), unique: new Set<string>(), passed: [], lines: [] },
        ...{ isOutputCut: false, hasMore: false },
        exitCode: 1,
        ...more.evidence,
      },
      lineText: lineText(now),
      isWhole: more.isWhole ?? true,
    },
    {
      record: { ...head, tools: {}, failures, ...more.record },
      ...{ since, fixed: keys(more.fixed), unresolved: keys(more.unresolved) },
    }
  );
  const names = fresh.map(({ finding: { file = "", line = 0, test: name = "" } }) =>
    `${file}:${line} ${name}`.trim()
  );
  return { fresh: names, doubt: doubt?.text, about: doubt?.about, known: known.length, ...rest };
}

/** A difference without context: lines `-text` and `+N text` of one file. */
function changed(file: string, ...lines: readonly string[]): string {
  const hunks = lines.map((line) => {
    const [, at = "1", text = ""] = /^\+(\d+) ?(.*)$/.exec(line) ?? [];
    return line.startsWith("-") ? `@@ -1 +0,0 @@\n${line}` : `@@ -0,0 +${at} @@\n+${text}`;
  });
  return [`+++ b/${file}`, ...hunks, ""].join("\n");
}

describe("a finding on an added line (G43)", () => {
  const before = { a: ["x();", "y();", "}"] };

  test("is new, and known if its line was removed elsewhere", () => {
    const recorded = [finding("a", 1)];
    const now = { a: ["y();", "}", "x();"] };
    const found = [finding("a", 3)];
    const added = parseDiff(changed("a", "+3 x();"));
    expect(judged({ recorded, found, before, now, since: added }).fresh).toEqual(["a:3"]);
    const moved = parseDiff(changed("a", "-x();", "+3 x();"));
    expect(judged({ recorded, found, before, now, since: moved })).toMatchObject({
      ...{ fresh: [], known: 1 },
    });
  });

  test("uses each removed line once", () => {
    const now = { a: ["y();", "x();", "x();"] };
    const since = parseDiff(changed("a", "-x();", "+2 x();", "+3 x();"));
    const recorded = [finding("a", 1)];
    const both = [finding("a", 2), finding("a", 3)];
    expect(judged({ recorded, found: both, before, now, since }).fresh).toEqual(["a:3"]);
    // The other added line may be the moved one.
    expect(judged({ recorded, found: [both[1]!], before, now, since }).fresh).toEqual(["a:3"]);
  });

  test("counts a line with several findings once", () => {
    const rules = (line: number): Finding[] => [
      finding("a", line),
      finding("a", line, { rule: "no-other" }),
    ];
    const since = parseDiff(changed("a", "-x();", "+3 x();"));
    const now = { a: ["y();", "}", "x();"] };
    expect(judged({ recorded: rules(1), found: rules(3), before, now, since }).fresh).toEqual([]);
    const more = [...rules(3), finding("a", 3, { rule: "no-third" })];
    expect(judged({ recorded: rules(1), found: more, before, now, since }).fresh).toEqual(["a:3"]);
  });

  test("is not known because lines such as } were removed", () => {
    const since = parseDiff(changed("a", "-x();", "-}", "-}", "+3 }"));
    const now = { a: ["y();", "", "}"] };
    const found = [finding("a", 3)];
    expect(freshOf({ recorded: [finding("a", 1)], found, before, now, since })).toEqual(["a:3"]);
  });

  test("is new if its text is empty, or of another file", () => {
    const since = parseDiff(changed("a", "-", "+3 "));
    const now = { a: ["x();", "y();", ""] };
    const recorded = [{ ...finding("a", 1), line: undefined }];
    expect(freshOf({ recorded, found: [finding("a", 3)], before, now, since })).toEqual(["a:3"]);
    const copied = parseDiff(changed("a", "-x();") + changed("b", "+1 x();"));
    const other = { now: { a: ["y();"], b: ["x();"] }, since: copied, found: [finding("b", 1)] };
    expect(freshOf({ recorded: [finding("a", 1)], before, ...other })).toEqual(["b:1"]);
  });
});

describe("equal findings of a file (G43)", () => {
  const before = { a: Array.from({ length: 1_000 }, () => "x();") };
  const all = before.a.map((_, i) => finding("a", i + 1));

  test("are counted, up to a thousand", () => {
    expect(judged({ recorded: all, found: all, before })).toMatchObject({
      fresh: [],
      known: 1_000,
    });
    const { fresh, known } = judged({ recorded: all.slice(0, 999), found: all, before });
    expect([fresh, known]).toEqual([["a:1000"], 999]);
  });

  test("that are fixed are gone, and come back once more before they block", () => {
    const [one, two] = [all.slice(0, 1), all.slice(0, 2)];
    expect(judged({ recorded: two, found: one, before }).gone).toHaveLength(1);
    const again = judged({ recorded: two, found: two, before, fixed: two });
    expect([again.fresh.length, again.mayPass]).toEqual([2, true]);
    const open = judged({ recorded: two, found: two, before, unresolved: two });
    expect([open.fresh.length, open.mayPass]).toEqual([2, false]);
  });
});

describe("a run that did not come as far (G46)", () => {
  const recorded = [failed("a.js", "one"), failed("a.js", "two")];

  test.each<[string, Record<string, number>, number | undefined]>([
    ["tsc printed no result, unlike when they were recorded", { jest: 5, tsc: 0 }, 1],
    ["5 tests of jest ran, and 6 ran when they were recorded", { jest: 6 }, 1],
    ["it exited with code 2, not with 1 as recorded", { jest: 5 }, 2],
    ["it exited with code ?, not with 1 as recorded", { jest: 5 }, undefined],
  ])("is doubted: %s", (text, tools, exitCode) => {
    const evidence = { tools: ran("jest", 3, 2), exitCode };
    const { doubt, fresh } = judged({ recorded, found: recorded, record: { tools }, evidence });
    expect(fresh).toEqual([]);
    expect(doubt).toBe(text);
  });

  test("is not if more tests ran, or only some files were tested", () => {
    const record = { tools: { jest: 5 } };
    const more = { tools: ran("jest", 4, 2) };
    expect(judged({ recorded, found: recorded, record, evidence: more }).doubt).toBeUndefined();
    const fewer = { tools: ran("jest", 1, 1) };
    const part = { recorded, found: recorded.slice(1), record, evidence: fewer };
    expect(judged({ ...part, isWhole: false }).doubt).toBeUndefined();
    expect(judged(part).doubt).toBe("2 tests of jest ran, and 5 ran when they were recorded");
  });

  test("is judged with exit codes that are the number of failures, as those of Mocha", () => {
    const record = { tools: { mocha: 5 }, exit: 2 };
    const evidence = { tools: ran("mocha", 4, 1), exitCode: 1 };
    const one = recorded.slice(1);
    expect(judged({ recorded, found: one, record, evidence }).doubt).toBeUndefined();
    const other = { ...evidence, exitCode: 7 };
    expect(judged({ recorded, found: one, record, evidence: other }).doubt).toBe(
      "it exited with code 7, not with 2 as recorded"
    );
    const ofLinter = { recorded: [finding("a", 1), finding("a", 2)], found: [finding("a", 1)] };
    expect(judged({ ...ofLinter, record: { exit: 2 } }).doubt).toBe(
      "it exited with code 1, not with 2 as recorded"
    );
  });

  test("has failed tests without a finding, unless others are new", () => {
    const tools = new Map([["jest", { passed: 3, failed: 3, skipped: 0, unseen: 1 }]]);
    const one = { recorded, found: recorded, record: { tools: { jest: 5 } }, evidence: { tools } };
    expect(judged(one).doubt).toBeUndefined();
    const doubtOf = (unseen: Record<string, number>, more: Partial<Case> = {}) =>
      judged({ ...one, record: { ...one.record, unseen }, ...more }).doubt;
    expect(doubtOf({ jest: 1 })).toBeUndefined();
    expect(doubtOf({})).toContain("jest counted more failed tests than it named");
    expect(doubtOf({}, { fixed: recorded })).toContain("jest counted");
    expect(doubtOf({}, { found: [...recorded, failed("a.js", "three")] })).toBeUndefined();
  });

  test("has an error of another tool that printed none before", () => {
    const evidence = { lines: ["fatal: the license is missing"] };
    const one = { recorded, found: recorded, evidence };
    expect(judged(one).doubt).toBeUndefined();
    expect(judged({ ...one, record: { isCompound: true } }).about).toEqual(evidence.lines);
    const cut = { lines: [], isOutputCut: true };
    expect(judged({ ...one, evidence: cut, record: { isCompound: true } }).doubt).toBe(
      "its output is too long to be compared"
    );
  });

  test("has a line of another tool more often than it was recorded", () => {
    const failures = identify(recorded, () => undefined).map(({ failure }) => failure);
    const line = "custom error in line #";
    const record = { isCompound: true, failures: [...failures, { line }] };
    const lines = ["custom error in line 4", "custom error in line 9"];
    const all = { recorded, found: recorded, record };
    expect(judged({ ...all, evidence: { lines: lines.slice(1) } }).doubt).toBeUndefined();
    expect(judged({ ...all, evidence: { lines } }).about).toEqual([line]);
  });

  test("with a record of another tool, or of lines, is not known", () => {
    const found = [finding("a", 1)];
    expect(judged({ recorded, found, record: { tools: { jest: 5 } } }).fresh).toEqual(["a:1"]);
    const lines = { failures: [{ line: "error: a" }] };
    expect(judged({ recorded: [], found, record: lines }).fresh).toEqual(["a:1"]);
    const known = { recorded: [], found: [], record: lines };
    expect(judged({ ...known, evidence: { lines: ["error: a"] } }).doubt).toBeUndefined();
    expect(judged({ ...known, evidence: { lines: ["error: b"] } }).about).toEqual(["error: b"]);
    expect(judged({ ...known, evidence: { lines: [""] } }).doubt).toBe("it printed nothing");
    expect(judged({ recorded: [], found: [] }).doubt).toBe("this failure is not among them");
  });
});

describe("a test of a renamed file (G43)", () => {
  test.each(
    `tests/test_a.py | tests/test_b.py | tests/test_a.py > T > test_x | tests/test_b.py > T > test_x
app/tests/test_a.py | app/tests/b/test_b.py | tests/test_a.py > t | tests/b/test_b.py > t
tests/test_a.py | tests/test_b.py | tests.test_a.T > test_x | tests.test_b.T > test_x
src/test/java/com/e/ATest.java | src/test/java/com/e/BTest.java | com.e.ATest$In > x | com.e.BTest$In > x
tests/ATest.php | tests/BTest.php | App\\ATest > testX | App\\BTest > testX
src/utils.js | src/helpers.js | utils > parses | utils > parses
a.js | b.js | parses a.b | parses a.b`
      .split("\n")
      .map((row) => row.split(" | "))
  )("is known: %s to %s", (from = "", to = "", before = "", now = "") => {
    const since = { ...SAME, renamed: new Map([[from, to]]) };
    expect(
      judged({ recorded: [failed(from, before)], found: [failed(to, now)], since })
    ).toMatchObject({ fresh: [], known: 1 });
  });

  test("is known if it failed elsewhere, or if the report names no file", () => {
    const since = { ...SAME, renamed: new Map([["tests/test_a.py", "tests/test_b.py"]]) };
    for (const file of [undefined, "app/sums.py"]) {
      for (const [before, now] of [
        ["tests/test_a.py > t", "tests/test_b.py > t"],
        ["tests.test_a > t", "tests.test_b > t"],
        // Similar names.
        ["tests.test_ab > t", "tests.test_ab > t"],
        ["other > tests.test_a", "other > tests.test_a"],
      ] as const) {
        const found = [failed(file, now)];
        expect(judged({ recorded: [failed(file, before)], found, since }).fresh).toEqual([]);
      }
    }
  });

  test("is known by a unique name alone, in another file and with more lines (G43)", () => {
    const recorded = [failed("app/sums.py", "t"), failed("app/sums.py", "u")];
    const one = { ...failed("app/ratio.py", "t"), message: "other" };
    const given = { recorded, found: [one, { ...one, line: 7 }] };
    expect(judged(given).fresh).toHaveLength(2);
    const unique = judged({ ...given, evidence: { unique: new Set(["t"]) } });
    expect(unique).toMatchObject({ fresh: [], known: 2, differing: 1 });
    expect(unique.gone).toHaveLength(1);
  });

  test("is new under the old name", () => {
    const since = { ...SAME, renamed: new Map([["tests/test_a.py", "tests/test_b.py"]]) };
    const recorded = [failed("tests/test_a.py", "tests/test_a.py > t")];
    expect(judged({ recorded, found: recorded, since }).fresh).toHaveLength(1);
  });

  test("is found in linear time among many renamed files and long names", () => {
    const renamed = new Map(
      Array.from({ length: 1_000 }, (_, i) => [`${"a/".repeat(50)}${i}.py`, `b/${i}.py`] as const)
    );
    const recorded = Array.from({ length: 1_000 }, (_, i) => failed("x", `${".".repeat(400)}${i}`));
    const { fresh } = judged({ recorded, found: recorded, since: { ...SAME, renamed } });
    expect(fresh).toEqual([]);
  });
});
