import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, repository } from "@test/helpers/built";
import { tempDir } from "@test/helpers/tempDir";

beforeAll(ensureBuilt, 120_000);

test("an agent that takes itself for done is sent back by one hook, then by two others, and then may stop", async () => {
  const outside = await tempDir();
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(repository, "scripts", "demo.mjs")],
    // A machine with nothing in its home; and the demonstration is not to be taken for a hook's own doing.
    { env: { PATH: process.env.PATH, HOME: outside, TMPDIR: outside, MUX_HOOK_EVENT: "Stop" } }
  );
  expect(stderr).toBe("");
  expect(headings(stdout)).toEqual([
    "you → agent",
    "agent",
    "hooks → agent (continuation 1)",
    "agent",
    "hooks → agent (continuation 2)",
    "agent",
    "end",
  ]);
  expect(stdout).toContain(`
[Stop hook requested continuation]
These tests fail; mend the code, not the tests:
- accents are taken off
- punctuation leaves no trace

`);
  expect(stdout).toContain(`
[Stop hook requested continuation]
src/ changed and CHANGELOG.md did not: say what changed under Unreleased.

These changes are not committed; commit them:
 M src/slug.js

`);
  expect(outcomes(stdout)).toEqual([
    { "Running the tests": "block", "Looking for a changelog entry": "pass", ".mux/stop": "pass" },
    { "Running the tests": "pass", "Looking for a changelog entry": "block", ".mux/stop": "block" },
    { "Running the tests": "pass", "Looking for a changelog entry": "pass", ".mux/stop": "pass" },
  ]);
  expect(stdout).toMatch(/The turn ended: the hooks agree, after 2 continuations\.\n$/);
  expect(await readdir(outside)).toEqual([]);
});

function headings(stdout: string): string[] {
  return [...stdout.matchAll(/^── (.*?) ─+$/gm)].map(([, heading]) => heading ?? "");
}

/** Of each stop, what every hook said, by its label; each took some time. */
function outcomes(stdout: string): Record<string, string>[] {
  const [, ...stops] = stdout.split(/^Stop: 3 hooks$/m);
  return stops.map((stop) => {
    const ended = stop.matchAll(/^ {2}[✔✖] \S+ +(\w+) +[\d.]+ m?s {2}(.*)$/gm);
    return Object.fromEntries([...ended].map(([, outcome = "", label = ""]) => [label, outcome]));
  });
}
