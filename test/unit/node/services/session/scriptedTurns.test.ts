import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { loadTurnScript, parseTurnScript } from "@/node/services/session/scriptedTurns";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

function problems(text: string): string[] {
  return parseTurnScript(text, "turns.yml")._unsafeUnwrapErr().map(formatDiagnostic);
}

test.each([
  ["an unknown step", "turns:\n  - - sya: hello\n", /^turns\.yml:2:7: turns\[0\]\[0\]: .*sya/],
  ["a wrong type", "turns:\n  - - bash: 7\n", /^turns\.yml:2:13: turns\[0\]\[0\]\.bash: /],
  ["a step of two", "turns:\n  - - say: a\n      bash: b\n", /^turns\.yml:2:7: .*exactly one/],
  ["a turn of another kind", "turns:\n  - Hello.\n  - 7\n", /^turns\.yml:3:5: turns\[1\]: /],
  [
    "a mistake in a sub-agent's turn",
    "turns:\n  - - task:\n        agent: exec\n        prompt: Do.\n        turns:\n          - - bsh: x\n",
    /^turns\.yml:6:15: turns\[0\]\[0\]\.task\[0\]\.turns\[0\]\[0\]: .*bsh/,
  ],
  ["an unknown key beside turns", "turn: []\nturns: []\n", /^turns\.yml:1:1: .*turn/],
  ["a syntax error", "turns:\n  - - say: 'open\n", /^turns\.yml:\d+:\d+: /],
  ["a key twice", "turns: []\nturns: []\n", /^turns\.yml:2:1: /],
  ["an empty file", "", /^turns\.yml:1:1: /],
  ["aliases of aliases", bomb(), /alias/i],
  ["endless nesting", "[".repeat(20_000), /^turns\.yml:\d+:\d+: /],
])("a file of turns with %s is reported with its position", (_what, text, expected) => {
  expect(problems(text)[0]).toMatch(expected);
});

test("anything but a file of turns is rejected, and a file that is too large", async () => {
  const folder = await tempDir();
  await execFileAsync("mkfifo", [join(folder, "fifo")]);
  await mkdir(join(folder, "folder"));
  await writeFile(join(folder, "large"), `# ${"x".repeat(1024 * 1024)}\nturns: []\n`);
  for (const [name, words] of [
    ["fifo", "FIFO"],
    ["folder", "it is a folder"],
    ["large", "larger than 1 MiB"],
    ["missing", "it does not exist"],
  ] as const) {
    const path = join(folder, name);
    const [refused] = (await loadTurnScript(new LocalRuntime(), path))._unsafeUnwrapErr();
    expect(refused).toMatchObject({
      file: path,
      message: expect.stringContaining(words) as string,
    });
  }
});

function bomb(): string {
  const before = (i: number): string[] => Array<string>(9).fill(i === 0 ? "x" : `*a${i - 1}`);
  const levels = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${before(i).join(", ")}]`);
  return `${levels.join("\n")}\nturns: []\n`;
}
