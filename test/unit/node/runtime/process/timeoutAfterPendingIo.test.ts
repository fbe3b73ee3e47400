import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";

const blockFor = (seconds: string): void => {
  execFileSync("sleep", [seconds]);
};

test("what happened while the host was busy is heard before the time is up", async () => {
  const heard: string[] = [];
  const child = spawn("true", { stdio: "ignore" });
  child.on("exit", () => heard.push("exit"));
  const late = new Promise<void>((resolve) => {
    timeoutAfterPendingIo(() => {
      heard.push("late");
      resolve();
    }, 1);
  });
  await once(child, "spawn");
  blockFor("0.5");
  await late;
  expect(heard).toEqual(["exit", "late"]);
});

test("a time beyond what a timer can count does not fire at once", async () => {
  let fired = false;
  const timer = timeoutAfterPendingIo(() => {
    fired = true;
  }, 2 ** 31);
  await new Promise<void>((resolve) => timeoutAfterPendingIo(resolve, 20));
  clearTimeout(timer);
  expect(fired).toBe(false);
});
