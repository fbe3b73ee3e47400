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
