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

/** Opens the cache in a new folder, whose file has this text if one is given. */
async function opened(text?: string) {
  const path = join(await tempDir(), ".check_cache.json");
  if (text !== undefined) await writeFile(path, text);
  const open = (): Promise<CheckCache> => CheckCache.open(files, path);
  return { path, open, cache: await open() };
}

test("returns the time of a pass in the next run (G21)", async () => {
  const { path, open, cache } = await opened();
  expect(cache.get(key(1))).toBeUndefined();
  cache.put(key(1), result("passed"), NOON);
  (await cache.save())._unsafeUnwrap();
  const next = await open();
  expect(next.get(key(1))).toBe(NOON.toISOString());
  expect(next.get(key(2))).toBeUndefined();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test.each(["failed", "error", "skipped", "cancelled"] as const)(
  "never caches a check that ended as %s (G21)",
  async (outcome) => {
    const { path, cache } = await opened();
    cache.put(key(1), result(outcome), NOON);
    expect(cache.get(key(1))).toBeUndefined();
    (await cache.save())._unsafeUnwrap();
    await expect(stat(path)).rejects.toThrow("ENOENT");
  }
);

test("keeps the time of the first pass if a check is answered from the cache", async () => {
  const { cache } = await opened();
  const since = NOON.toISOString();
  cache.put(key(1), result("passed"), NOON);
  cache.put(key(1), result("passed", { cachedSince: since }), new Date());
  expect(cache.get(key(1))).toBe(since);
});

test("writes no file if there is no new pass", async () => {
  const { path, cache } = await opened("not ours");
  (await cache.save())._unsafeUnwrap();
  expect(await readFile(path, "utf8")).toBe("not ours");
});

test("drops the oldest passes, so that the file stays small", async () => {
  const { path, open, cache } = await opened();
  for (let n = 0; n < 3000; n++) {
    cache.put(key(n), result("passed"), NOON);
    if (n === 2500) cache.put(key(1501), result("passed"), NOON);
  }
  (await cache.save())._unsafeUnwrap();
  const next = await open();
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
    const { open, cache } = await opened(text);
    expect(cache.get(key(1))).toBeUndefined();
    cache.put(key(2), result("passed"), NOON);
    (await cache.save())._unsafeUnwrap();
    expect((await open()).get(key(2))).toBe(NOON.toISOString());
  });

  test("if it is too large", async () => {
    const whole = `{"version":1,"passes":[["${key(1)}","2026-01-02T12:00:00.000Z"]]}`;
    const space = " ".repeat(2 * 1024 * 1024);
    expect((await opened(whole + space)).cache.get(key(1))).toBe("2026-01-02T12:00:00.000Z");
    expect((await opened(space + whole)).cache.get(key(1))).toBeUndefined();
  });
});

test("fails to save in a folder that cannot be written", async () => {
  const { path } = await opened("");
  const cache = await CheckCache.open(files, join(path, "cache.json"));
  cache.put(key(1), result("passed"), NOON);
  expect((await cache.save())._unsafeUnwrapErr().code).toMatch(/ENOTDIR|EEXIST/);
});

function historyOf(...runs: (readonly [GateResult, string])[]): CheckHistory {
  const history = new CheckHistory();
  for (const [run, tree] of runs) history.add(run, tree);
  return history;
}

test("names a check that passed and failed for one tree, also in one run, but not for another one (G36)", () => {
  const passed = result("passed");
  const failed = result("failed");
  const ofTrees = historyOf([failed, "a"], [passed, "a"], [passed, "a"], [failed, "b"]);
  expect(ofTrees.unstable).toEqual([{ jobId: "check:.:a", passed: 2, failed: 1 }]);
  const ofOneRun = historyOf([result("passed", { flaky: true }), "a"]);
  expect(ofOneRun.unstable).toEqual([{ jobId: "check:.:a", passed: 1, failed: 1 }]);
  expect(historyOf([failed, "a"], [passed, "b"]).unstable).toEqual([]);
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
