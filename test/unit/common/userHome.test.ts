import { runInFreshNode } from "@test/helpers/process/freshNode";
import { tryOr } from "@/common/errors";
import { userInfo } from "node:os";
import { expect, test, vi } from "vitest";
import { userHome } from "@/common/userHome";

/** The system may have no name for this user. */
const listed = tryOr(() => userInfo().homedir, "/nonexistent");

test.each([
  ["/home/me", "/home/me"],
  ["/home/me/", "/home/me"],
  ["/home/project/../me", "/home/me"],
  [".", listed],
  ["", listed],
])("HOME=%s is %s", (home, expected) => {
  vi.stubEnv("HOME", home);
  expect(userHome()).toBe(expected);
});

test("without HOME is that of the system's list of users, and does not exist for a user who is not in it (H31)", async () => {
  const isRoot = process.getuid?.() === 0;
  const expected = isRoot ? "/nonexistent" : listed;
  expect(await runInFreshNode("userWithoutHome")).toBe(expected);
});
