/** Checks that get their files as arguments or on standard input, as real processes. */
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
import { shellCalls } from "@/node/services/gauntlet/gates/runWithFiles";
import { runCheck } from "@/node/services/gauntlet/gates/runCheck";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { createTestRuntime, testHere } from "@test/helpers/remote/testRuntime";
import { tempDir } from "@test/helpers/tempDir";

const runtime = createTestRuntime();
const NOON = new Date("2026-01-02T12:00:00.000Z");

async function run(
  command: string,
  files: readonly string[],
  gate: Partial<CheckDefinition> = {},
  entryPoint = "."
) {
  const projectDir = await tempDir();
  await mkdir(join(projectDir, "src", "lib"), { recursive: true });
  const logPath = join(projectDir, "check.1.log");
  const context = { projectDir, rerun: false, env: {}, logPath, now: () => NOON, files };
  const { result } = await runCheck(runtime, checkJob(command, gate, entryPoint), context);
  return { result, log: await readFile(logPath, "utf8").catch(() => ""), projectDir };
}

const HOSTILE = [
  "-rf",
  "a b",
  "$(touch pwned)",
  "`touch pwned`",
  "'",
  '"',
  "a\nb",
  "*",
  "ü;#",
  "!",
];
const PRINT = `for f in {files}; do printf '<%s>' "$f"; done`;

test("no name meets the shell (G32)", async () => {
  const { log, projectDir } = await run(PRINT, HOSTILE);
  expect(log).toContain(HOSTILE.map((name) => `<./${name}>`).join(""));
  expect(await stat(join(projectDir, "pwned")).catch(() => "none")).toBe("none");
});

testHere("paths are relative to the check's folder (G32)", async () => {
  const { log } = await run(PRINT, ["src/a.ts", "src/lib/b.ts"], {}, "src");
  expect(log).toContain("<./a.ts><./lib/b.ts>");
  const elsewhere = await run(PRINT, ["src/a.ts"], { workingDirectory: "src/lib" }, "src");
  expect(elsewhere.log).toContain("<./../a.ts>");
});

test("{files0} gets them on standard input (G32)", async () => {
  const { log, result } = await run("xargs -0 printf '<%s>' {files0}", HOSTILE);
  expect(log).toContain(HOSTILE.map((name) => `<./${name}>`).join(""));
  expect(result.outcome).toBe("passed");
});

test("several calls have one log and share one time limit, and the worst exit code counts (G32)", async () => {
  const files = Array.from({ length: 3_000 }, (_, i) => `src/${"x".repeat(30)}/${i}.ts`);
  const codes = `case "$*" in */0.ts*) exit 2;; */2999.ts*) exit 0;; *) exit 1;; esac`;
  const exec = vi.spyOn(runtime, "exec");
  const { log, result } = await run(`echo "has $# files"; set -- {files}; ${codes}`, files, {
    timeoutS: 60,
  });
  const limits = exec.mock.calls.map(([{ timeoutMs = 0 }]) => timeoutMs);
  exec.mockRestore();
  expect(limits).toEqual([...new Set(limits)].toSorted((a, b) => b - a));
  expect(result).toMatchObject({ outcome: "failed", message: "Exited with code 2" });
  const counts = [...log.matchAll(/^has (\d+) files$/gm)].map(([, count]) => Number(count));
  expect(counts.length).toBeGreaterThan(1);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(files.length);
  expect(log).toContain(`Call 1 of ${counts.length}, with ${counts[0] ?? 0} files`);
  expect(log.match(/Command: /g)).toHaveLength(1);
  expect(log.match(/Result: failed/g)).toHaveLength(1);
  expect(log.trimEnd().split("\n").at(-1)).toContain("Result: failed");
});

test("files with long names beyond ASCII reach the command (G32)", async () => {
  const files = Array.from({ length: 1_000 }, (_, i) => `${"日本語'".repeat(10)}${i}`);
  const { log, result } = await run('echo "count $#"; set -- {files}', files);
  const counts = [...log.matchAll(/^count (\d+)$/gm)].map(([, count]) => Number(count));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  expect(result.outcome).toBe("passed");
});

testHere("a command without a placeholder is one call without arguments (G32)", async () => {
  expect(shellCalls("npm test", "src", ["src/a"])).toEqual([
    { command: { script: "npm test" }, paths: [] },
  ]);
  const { log } = await run('echo "count $#"', ["a"]);
  expect(log).toContain("count 0");
});
