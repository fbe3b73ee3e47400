import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, repository } from "@test/helpers/built";
import { tempDir } from "@test/helpers/tempDir";

beforeAll(ensureBuilt, 120_000);

test("sends the agent back for failing hooks, then for a failing gauntlet gate, and then lets it stop", async () => {
  const outside = await tempDir();
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(repository, "scripts", "demo.mjs")],
    // Uses an empty home, and sets a variable of a running hook, which the demonstration must ignore.
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
    "you → agent",
    "agent",
    "hooks → agent (continuation 1)",
    "agent",
    "end",
  ]);
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
  expect(stdout).toMatch(GAUNTLET_REASON);
  const pass = {
    gauntlet: "pass",
    "Running the tests": "pass",
    "Looking for a changelog entry": "pass",
    ".mux/stop": "pass",
  };
  expect(outcomes(stdout)).toEqual([
    { ...pass, "Running the tests": "block" },
    { ...pass, "Looking for a changelog entry": "block", ".mux/stop": "block" },
    pass,
    { ...pass, gauntlet: "block" },
    pass,
  ]);
  // A plain pass prints no message (G25a).
  expect(stdout).not.toContain("Gauntlet: all gates passed");
  expect(stdout).toMatch(/The turn ended: the hooks allowed the stop, after 1 continuation\.\n$/);
  expect(await readdir(outside)).toEqual([]);
});

/** The failed gate with its command, folder, log and last output. */
const GAUNTLET_REASON = new RegExp(
  [
    "\\[Stop hook requested continuation\\]\nGauntlet gates did not pass\\. .*\n[^]*",
    "- check:src:unique: Exited with code 1\n  Command: node scripts/unique\\.mjs\n  Folder: \\S+/slug\n  Log: \\S+/logs/check_src_unique\\.1\\.log\n[^]*",
    " +\\| .* are both the-complete-guide-to-hooks-for-coding-a\n",
  ].join("")
);

function headings(stdout: string): string[] {
  return [...stdout.matchAll(/^── (.*?) ─+$/gm)].map(([, heading]) => heading ?? "");
}

/** Returns for each stop the outcome of every hook by its label. Each line must also show a duration. */
function outcomes(stdout: string): Record<string, string>[] {
  const [, ...stops] = stdout.split(/^Stop: 4 hooks$/m);
  return stops.map((stop) => {
    const ended = stop.matchAll(/^ {2}[✔✖] \S+ +(\w+) +[\d.]+m?s {2}(?:\S*\/slug\/)?(.*)$/gm);
    return Object.fromEntries([...ended].map(([, outcome = "", label = ""]) => [label, outcome]));
  });
}
