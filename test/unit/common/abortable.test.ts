import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { unlessAborted } from "@/common/abortable";

test("returns the result if the signal is not aborted first", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve("done"), signal)).toBe("done");
  expect(await unlessAborted(Promise.resolve("done"), undefined)).toBe("done");
  await expect(unlessAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow(
    "broken"
  );
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("returns undefined on abort, and ignores a later rejection", async () => {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const waiting = unlessAborted(work, signal);
  interrupt.abort();
  expect(await waiting).toBeUndefined();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);

  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  expect(await unlessAborted(Promise.reject<string>(new Error("late")), signal)).toBeUndefined();
  fail(new Error("late"));
  await setImmediate();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("causes no warning for more waits than Node expects listeners", async () => {
  const interrupt = new AbortController();
  const warnings: unknown[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const endless = new Promise(() => undefined);
  const waits = Array.from({ length: 20 }, () => unlessAborted(endless, interrupt.signal));
  await setImmediate();
  process.off("warning", note);
  interrupt.abort();
  await Promise.all(waits);
  expect(warnings).toEqual([]);
});
