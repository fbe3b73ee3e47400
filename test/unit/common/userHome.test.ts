import { runInFreshNode } from "@test/helpers/process/freshNode";
import { userInfo } from "node:os";
import { expect, test, vi } from "vitest";
import { userHome } from "@/common/userHome";

test.each([
  ["/home/me", "/home/me"],
  ["/home/me/", "/home/me"],
  ["/home/project/../me", "/home/me"],
  [".", userInfo().homedir],
  ["", userInfo().homedir],
])("HOME=%s is %s", (home, expected) => {
  vi.stubEnv("HOME", home);
  expect(userHome()).toBe(expected);
});

test.runIf(process.getuid?.() === 0)(
  "exists for no user without an entry in the system's list (H31)",
  async () => {
    expect(await runInFreshNode("userWithoutHome")).toBe("/nonexistent");
  }
);
