import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import type { GateOutcome, GateResult } from "@/node/services/gauntlet/domain/gate";
import { CheckCache, CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalFiles();
const NOON = new Date("2026-01-02T12:00:00.000Z");
const key = (n: number): string => n.toString(16).padStart(64, "0");

const result = (outcome: GateOutcome, more: Partial<GateResult> = {}): GateResult =>
  gateResult("check:.:a", outcome, more);

const cachePath = async (): Promise<string> => join(await tempDir(), ".check_cache.json");

test("returns the time of a pass in the next run (G21)", async () => {
  const path = await cachePath();
  const cache = await CheckCache.open(files, path);
  expect(cache.get(key(1))).toBeUndefined();
  cache.put(key(1), result("passed"), NOON);
  (await cache.save())._unsafeUnwrap();
  const next = await CheckCache.open(files, path);
  expect(next.get(key(1))).toBe(NOON.toISOString());
  expect(next.get(key(2))).toBeUndefined();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test.each(["failed", "error", "skipped", "cancelled"] as const)(
  "never caches a check that ended as %s (G21)",
  async (outcome) => {
    const path = await cachePath();
    const cache = await CheckCache.open(files, path);
    cache.put(key(1), result(outcome), NOON);
    expect(cache.get(key(1))).toBeUndefined();
    (await cache.save())._unsafeUnwrap();
    await expect(stat(path)).rejects.toThrow("ENOENT");
  }
);

test("keeps the time of the first pass if a check is answered from the cache", async () => {
  const cache = await CheckCache.open(files, await cachePath());
  const since = NOON.toISOString();
  cache.put(key(1), result("passed"), NOON);
  cache.put(key(1), result("passed", { cachedSince: since }), new Date());
  expect(cache.get(key(1))).toBe(since);
});

test("writes no file if there is no new pass", async () => {
  const path = await cachePath();
  await writeFile(path, "not ours");
  (await (await CheckCache.open(files, path)).save())._unsafeUnwrap();
  expect(await readFile(path, "utf8")).toBe("not ours");
});

test("drops the oldest passes, so that the file stays small", async () => {
  const path = await cachePath();
  const cache = await CheckCache.open(files, path);
  for (let n = 0; n < 3000; n++) {
    cache.put(key(n), result("passed"), NOON);
    if (n === 2500) cache.put(key(1501), result("passed"), NOON);
  }
  (await cache.save())._unsafeUnwrap();
  const next = await CheckCache.open(files, path);
  const known = [0, 1500, 1501, 1999, 2001, 2999].filter((n) => next.get(key(n)) !== undefined);
  expect(known).toEqual([1501, 2001, 2999]);
  expect((await stat(path)).size).toBeLessThan(128 * 1024);
});

describe("an invalid file is an empty cache", () => {
  test.each([
    "",
    "null",
    '{"version":2,"passes":[]}',
    '{"version":1,"passes":{"__proto__":"x"}}',
    `{"version":1,"passes":[["${key(1)}","yesterday"]]}`,
    '{"version":1,"passes":[["short","2026-01-02T12:00:00.000Z"]]}',
    `{"version":1,"passes":[["${key(1)}"]]}`,
    "[".repeat(200_000),
  ])("%.40j", async (text) => {
    const path = await cachePath();
    await writeFile(path, text);
    const cache = await CheckCache.open(files, path);
    expect(cache.get(key(1))).toBeUndefined();
    cache.put(key(2), result("passed"), NOON);
    (await cache.save())._unsafeUnwrap();
    expect((await CheckCache.open(files, path)).get(key(2))).toBe(NOON.toISOString());
  });

  test("if it is too large", async () => {
    const path = await cachePath();
    const whole = `{"version":1,"passes":[["${key(1)}","2026-01-02T12:00:00.000Z"]]}`;
    await writeFile(path, whole + " ".repeat(2 * 1024 * 1024));
    expect((await CheckCache.open(files, path)).get(key(1))).toBe("2026-01-02T12:00:00.000Z");
    await writeFile(path, " ".repeat(2 * 1024 * 1024) + whole);
    expect((await CheckCache.open(files, path)).get(key(1))).toBeUndefined();
  });
});

test("fails to save in a folder that cannot be written", async () => {
  const path = await cachePath();
  await writeFile(join(path, "..", "file"), "");
  const cache = await CheckCache.open(files, join(path, "..", "file", "cache.json"));
  cache.put(key(1), result("passed"), NOON);
  expect((await cache.save())._unsafeUnwrapErr().code).toMatch(/ENOTDIR|EEXIST/);
});

function historyOf(...runs: (readonly [GateResult, string])[]): CheckHistory {
  const history = new CheckHistory();
  for (const [run, tree] of runs) history.add(run, tree);
  return history;
}

test("names a check with different outcomes for the same tree (G36)", () => {
  const history = historyOf(
    [result("failed"), "tree-1"],
    [result("passed"), "tree-1"],
    [result("passed"), "tree-1"],
    [result("failed"), "tree-2"]
  );
  expect(history.unstable).toEqual([{ jobId: "check:.:a", passed: 2, failed: 1 }]);
});

test("names a check that was flaky in one run (G36)", () => {
  const history = historyOf([result("passed", { flaky: true }), "tree-1"]);
  expect(history.unstable).toEqual([{ jobId: "check:.:a", passed: 1, failed: 1 }]);
});

test("does not name a check whose outcome changed with the tree (G36)", () => {
  const history = historyOf([result("failed"), "tree-1"], [result("passed"), "tree-2"]);
  expect(history.unstable).toEqual([]);
});

test("ignores reviews, cached results, and checks that did not end", () => {
  const history = historyOf(
    [result("failed", { kind: "review" }), "t"],
    [result("passed", { cachedSince: "2026-01-02T12:00:00.000Z" }), "t"],
    [result("cancelled"), "t"],
    [result("error"), "t"],
    [result("failed", { overLimit: true }), "t"]
  );
  expect(history.entries).toEqual([]);
  expect(history.isChanged).toBe(false);
});

test("keeps 20 outcomes of a check, and 500 checks", () => {
  const history = new CheckHistory();
  for (let i = 0; i < 25; i++) history.add(result("passed"), `tree-${i}`);
  expect(history.entries[0]?.[1].outcomes.map(([tree]) => tree).at(0)).toBe("tree-5");
  for (let i = 0; i < 500; i++) history.add(result("failed", { jobId: `check:.:n${i}` }), "t");
  expect(history.entries).toHaveLength(500);
  expect(history.hasFailed("check:.:a")).toBe(false);
  expect(history.hasFailed("check:.:n499")).toBe(true);
});
