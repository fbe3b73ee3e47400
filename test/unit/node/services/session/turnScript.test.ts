import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { loadTurnScript, parseTurnScript } from "@/node/services/session/turnScript";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

function problems(text: string): string[] {
  return parseTurnScript(text, "turns.yml")._unsafeUnwrapErr().map(formatDiagnostic);
}

describe("parseTurnScript", () => {
  test("accepts the short and the long form of every step", () => {
    const script = parseTurnScript(
      `turns:
  - Only words.
  - - say: I begin.
    - bash: make test
    - write: { path: a.txt, content: "" }
    - edit: { path: a.txt, find: x, replace: "" }
    - task: { agent: explore, prompt: Look. }
    - task:
        - { agent: exec, prompt: Do., turns: [Did it.], background: true }
        - { agent: exec, prompt: Do too. }
    - report: All is well.
    - ask: Which one?
  - - fail: overloaded
  - - fail: { error: too long, type: context_exceeded }
  - - finish: refusal
`,
      "turns.yml"
    );
    expect(script._unsafeUnwrap()).toEqual({
      turns: [
        [{ say: "Only words." }],
        [
          { say: "I begin." },
          { bash: "make test" },
          { write: { path: "a.txt", content: "" } },
          { edit: { path: "a.txt", find: "x", replace: "" } },
          { task: [{ agent: "explore", prompt: "Look.", turns: [], background: false }] },
          {
            task: [
              { agent: "exec", prompt: "Do.", turns: [[{ say: "Did it." }]], background: true },
              { agent: "exec", prompt: "Do too.", turns: [], background: false },
            ],
          },
          { report: "All is well." },
          { ask: "Which one?" },
        ],
        [{ fail: { error: "overloaded", type: "api" } }],
        [{ fail: { error: "too long", type: "context_exceeded" } }],
        [{ finish: "refusal" }],
      ],
    });
  });

  test.each([
    ["an unknown step", "turns:\n  - - sya: hello\n", /^turns\.yml:2:7: turns\[0\]\[0\]: .*sya/],
    [
      "a step of the wrong type",
      "turns:\n  - - bash: 7\n",
      /^turns\.yml:2:13: turns\[0\]\[0\]\.bash: /,
    ],
    [
      "two things in one step",
      "turns:\n  - - say: a\n      bash: b\n",
      /^turns\.yml:2:7: .*exactly one/,
    ],
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
  ])("reports %s with its position", (_what, text, expected) => {
    expect(problems(text)[0]).toMatch(expected);
  });

  test("loads a file, and rejects anything else and files that are too large", async () => {
    const files = new LocalRuntime();
    const folder = await tempDir();
    const path = join(folder, "turns.yml");
    await writeFile(path, "turns: [Done.]\n");
    expect((await loadTurnScript(files, path))._unsafeUnwrap().turns).toHaveLength(1);

    await execFileAsync("mkfifo", [join(folder, "fifo")]);
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "large"), `# ${"x".repeat(1024 * 1024)}\nturns: []\n`);
    for (const name of ["fifo", "folder", "large", "missing"]) {
      const [refused] = (await loadTurnScript(files, join(folder, name)))._unsafeUnwrapErr();
      expect(refused?.file).toBe(join(folder, name));
    }
  });
});

function bomb(): string {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const before =
      i === 0
        ? "x"
        : Array(9)
            .fill(`*a${i - 1}`)
            .join(", ");
    return `a${i}: &a${i} [${before}]`;
  });
  return `${levels.join("\n")}\nturns: []\n`;
}
