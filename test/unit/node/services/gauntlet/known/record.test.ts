import { tempDir } from "@test/helpers/tempDir";
import { newRuntime } from "@test/helpers/localRuntime";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keyOf } from "@/node/services/gauntlet/known/failureIdentity";
import * as store from "@/node/services/gauntlet/known/failureStore";
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";

const ID = "0123456789".repeat(4);
const RECORD: store.KnownRecord = {
  ...{ check: "check:.:it", command: "c", commit: ID, tree: ID, at: "2026-11-23", exit: 1 },
  ...{ tools: { jest: 3 }, isCompound: true },
  failures: [
    { file: "b.js", rule: "no-bad", text: "t", nth: 2 },
    { file: "a.js", test: "suite > \u2028 name", how: "h", flaky: true },
    { file: "a.js", message: 'a "message"\nof two lines' },
    { line: "error: a" },
  ],
};

describe("a record of known failures (G44)", () => {
  test("is parsed as it was written: the check first, then its failures in order", () => {
    const text = store.recordText(RECORD);
    const lines = text.trimEnd().split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ check: "check:.:it", isCompound: true });
    expect(lines.slice(1)).toEqual([...lines.slice(1)].sort());
    expect(lines).toHaveLength(5);
    const parsed = store.parseRecord(text);
    expect(new Set(parsed?.failures)).toEqual(new Set(RECORD.failures));
    expect({ ...parsed, failures: [] }).toEqual({ ...RECORD, failures: [] });
    expect(store.recordText(parsed ?? RECORD)).toBe(text);
  });

  test("has each failure once", () => {
    const [first] = RECORD.failures;
    const failures = [...RECORD.failures, { ...first, how: "other" }];
    expect(store.parseRecord(store.recordText({ ...RECORD, failures }))?.failures).toHaveLength(4);
  });

  test.each([
    "{",
    '{"file":1}',
    "{}",
    '{"unknown":"x"}',
    "[]",
    "null",
    "<<<<<<< ours",
    '{"file":"a.js","nth":1.5}',
    JSON.stringify({ ...RECORD, failures: undefined }),
  ])("makes nothing known by a broken line: %s", (line) => {
    const [head = "", ...rest] = store.recordText(RECORD).split("\n");
    const text = [head, line, ...rest].join("\n");
    expect(store.parseRecord(text)?.failures.map(keyOf)).toEqual(
      store.parseRecord(store.recordText(RECORD))?.failures.map(keyOf)
    );
  });

  test.each([
    ["", "nothing"],
    ['{"file":"a.js"}\n', "no check"],
    [`\n${store.recordText(RECORD)}`, "an empty line"],
    [store.recordText(RECORD).split("\n").reverse().join("\n"), "the check last"],
    [store.recordText({ ...RECORD, commit: "main" }), "no commit"],
    [store.recordText({ ...RECORD, at: "yesterday" }), "no day"],
    [store.recordText({ ...RECORD, exit: 0.5 }), "no exit code"],
  ])("is none if its first line is not a check: %#", (text) => {
    expect(store.parseRecord(text)).toBeUndefined();
  });

  test.each([
    ["{}\n", 20_000],
    ["\n", store.MAX_RECORD_BYTES],
    ["{", store.MAX_RECORD_BYTES],
  ])("of many %j makes nothing known", (part, count) => {
    const [head = ""] = store.recordText(RECORD).split("\n");
    const text = `${head}\n${part.repeat(count)}`;
    expect(store.parseRecord(text)?.failures).toEqual([]);
  });
});

test("counts for the same command, folder, variables and findings only (G44)", () => {
  const gate = { command: "a", env: { A: "1", B: "2" }, source: {} } as unknown as CheckDefinition;
  const digest = (more: Partial<CheckDefinition>, entryPoint = ".") =>
    store.commandDigest({ entryPoint, gate: { ...gate, ...more } });
  const others = [
    ...[digest({ command: "b" }), digest({ rerunCommand: "b" }), digest({}, "sub")],
    ...[digest({ env: { A: "2", B: "2" } }), digest({ workingDirectory: "sub" })],
    digest({ findings: [{ kind: "output", format: "tsc" }] }),
  ];
  expect(others).not.toContain(digest({}));
  expect(digest({ env: { B: "2", A: "1" }, timeoutS: 1 })).toBe(digest({}));
});

const named = (file: string, ...tests: string[]) => tests.map((name) => ({ file, test: name }));

test.each([
  ["is named if its file changed", named("a.js", "adds"), ["a.js"], ["divides"]],
  ["is not if its file did not change", named("a.js", "adds"), ["b.js"], []],
  ["is not if only its parameter changed", named("a.js", "adds", "divides[2]"), ["a.js"], []],
  ["is not if its file was moved", named("c.js", "adds", "divides[1][2]"), ["a.js", "c.js"], []],
])("a test that no longer runs %s (G48)", async (_, ran, changed, vanished) => {
  const path = join(await tempDir(), "tests");
  const runtime = newRuntime();
  const before = named("a.js", "adds", "divides[1][2]");
  expect(await store.replaceTests(runtime, path, before, new Set(["a.js"]))).toEqual([]);
  expect(await store.replaceTests(runtime, path, ran, new Set(changed))).toEqual(vanished);
});
