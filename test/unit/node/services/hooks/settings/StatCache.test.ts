import { ok } from "neverthrow";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PresentStat } from "@/node/runtime/HookRuntime";
import { StatBatch, StatCache } from "@/node/services/hooks/settings/cachedReads";

function stat(fields: Partial<PresentStat> = {}): PresentStat {
  return {
    kind: "file",
    size: 1,
    mtimeMs: 1,
    ctimeMs: 1,
    identity: "1:1",
    executable: false,
    ...fields,
  };
}

/** Returns a cache and the number of values that were computed for it. */
function counter() {
  const cache = new StatCache<number>();
  let made = 0;
  const get = async (path: string, of = stat()) =>
    (await cache.get(path, of, () => Promise.resolve(ok(++made))))._unsafeUnwrap();
  return { get, made: () => made };
}

test("keeps a value until the size, times or identity of its file change (H7)", async () => {
  const { get } = counter();
  expect(await get("a")).toBe(1);
  expect(await get("a")).toBe(1);
  expect(await get("a", stat({ size: 2 }))).toBe(2);
  expect(await get("a", stat({ size: 2, mtimeMs: 2 }))).toBe(3);
  expect(await get("a", stat({ size: 2, mtimeMs: 2, identity: "1:2" }))).toBe(4);
  expect(await get("b")).toBe(5);
  expect(await get("b", stat({ ctimeMs: 2 }))).toBe(6);
});

test("computes a value again if its file was just written, a second ago if the machine reports only whole seconds", async () => {
  const { get } = counter();
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const now = stat({ ctimeMs: Date.now() });
  expect(await get("a", now)).toBe(1);
  expect(await get("a", now)).toBe(2);
  const justNow = stat({ ctimeMs: Math.floor(Date.now() / 1000) * 1000 - 500 });
  expect(await get("fine", justNow)).toBe(3);
  expect(await get("fine", justNow)).toBe(3);
  const coarse = stat({ ctimeMs: Math.floor(Date.now() / 1000) * 1000 - 1_000 });
  expect(await get("coarse", coarse)).toBe(4);
  expect(await get("coarse", coarse)).toBe(5);
});

test("keeps the values that were used last, and limits their number", async () => {
  const { get, made } = counter();
  for (let i = 0; i < 1_000; i++) {
    await get(`f${i}`);
    await get("often");
  }
  expect(made()).toBe(1_001);
  await get("f999");
  await get("often");
  expect(made()).toBe(1_001);
  await get("f0");
  expect(made()).toBe(1_002);
});

test("a batch requests each path once, with those of the last load in one call (H7)", async () => {
  const asked: (readonly string[])[] = [];
  const batch = new StatBatch(
    {
      stat: (paths) => {
        asked.push(paths);
        return Promise.resolve(paths.map((identity) => stat({ identity })));
      },
    },
    ["a", "b", "gone"]
  );
  const answers = await Promise.all([batch.stat(["b"]), batch.stat(["a", "c", "c"])]);
  expect(answers.map((stats) => stats.map((one) => "identity" in one && one.identity))).toEqual([
    ["b"],
    ["a", "c", "c"],
  ]);
  await batch.stat(["c", "a"]);
  expect(asked).toEqual([["a", "b", "gone"], ["c"]]);
  expect(batch.wanted).toEqual(["b", "a", "c"]);
});
