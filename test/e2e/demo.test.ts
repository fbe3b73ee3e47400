import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { tempDir } from "@test/helpers/tempDir";

test("sends the agent back for failing hooks, then for a failing gauntlet gate, and then lets it stop", async () => {
  const outside = await tempDir();
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(repository, "scripts", "demo.mjs")],
    // Uses an empty home, and sets a variable of a running hook, which the demonstration must ignore.
    { env: { PATH: process.env.PATH, HOME: outside, TMPDIR: outside, MUX_HOOK_EVENT: "Stop" } }
  );
  expect(stderr).toBe("");
  const hooks = (times: number): string => `hooks → agent (continuation ${times}), agent`;
  expect(headings(stdout).join(", ")).toBe(
    `you → agent, agent, ${hooks(1)}, ${hooks(2)}, end, you → agent, agent, ${hooks(1)}, end`
  );
  expect(stdout).toContain(`
[Stop hook requested continuation]
These tests fail; fix the code, not the tests:
- accents are taken off
- punctuation leaves no trace

`);
  expect(stdout).toContain(`
[Stop hook requested continuation]
src/ changed and CHANGELOG.md did not: say what changed under Unreleased.

These changes are not committed; commit them:
 M src/slug.js

`);
  expect(stdout).toMatch(
    /\[Stop hook requested continuation\]\nGauntlet gates did not pass\. .*\n[^]*- check:src:unique: Exited with code 1\n/
  );
  // A plain pass prints no message (G25a).
  expect(stdout).not.toContain("Gauntlet: all gates passed");
  expect(stdout).toMatch(/The turn ended: the hooks allowed the stop, after 1 continuation\.\n$/);
  expect(await readdir(outside)).toEqual([]);
});

function headings(stdout: string): string[] {
  return [...stdout.matchAll(/^── (.*?) ─+$/gm)].map(([, heading]) => heading ?? "");
}
