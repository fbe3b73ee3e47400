import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { timeoutAfterPendingIo } from "@/node/runtime/process/waitForExit";

const blockFor = (seconds: string): void => {
  execFileSync("sleep", [seconds]);
};

test("handles events from before the timeout first if the host was busy", async () => {
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

test("does not fire at once for a time beyond the limit of timers", async () => {
  let fired = false;
  const timer = timeoutAfterPendingIo(() => {
    fired = true;
  }, 2 ** 31);
  await new Promise<void>((resolve) => timeoutAfterPendingIo(resolve, 20));
  clearTimeout(timer);
  expect(fired).toBe(false);
});
