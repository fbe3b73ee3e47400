/** Real programs read the transcript of the claude dialect as published hooks do. */
import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { has } from "@scripts/programs.mjs";
import { group, HookProject, type RanStop } from "@test/helpers/hooks/hookProject";

const FIXTURES = fileURLToPath(new URL("../../fixtures/hooks/claude-transcript/", import.meta.url));

/** What each program finds in `chat.jsonl`, by the program that it needs. */
const STOP_READERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jq: {
    "open-todos.sh": "Testing it, Clean up",
    "old-todos.sh": "0->2 2->3",
    "edited-files.sh": "src/login.ts src/router.ts",
    "command-output.sh": "all green",
    "context-size.sh": "2700 tokens",
    "feedback.sh": "1 Fix the failing test",
    "last-text.sh": "Noted. All done.",
    "session.sh": "true false external feature/login true",
  },
  grep: { "tests-ran.sh": "yes", "since-compaction.sh": "1 forms" },
  python3: {
    "last-prompt.py": "Now write it",
    "changed-lines.py": "+3 -1",
    "cost.py": "13780 tokens, $0.0427",
    "turn-time.py": "20 s",
    "agents.py": "explore: src/router.ts",
  },
  node: {
    "failed-commands.mjs": "npm test: 1",
    "hook-context.mjs": "The build takes 9 minutes",
    "chain.mjs": "33 of 33",
  },
};

let project: HookProject;

async function runReaders(event: "Stop" | "SubagentStop", names: readonly string[]) {
  const hooks = names.map((name) => ({
    command: `${FIXTURES}${name}`,
    args: [],
    dialect: "claude",
  }));
  await project.configure({ hooks: { [event]: [group(hooks)] } });
  return event === "Stop" ? await project.stop() : await project.subagentStop("explore");
}

const outputs = ({ runs, warnings = [] }: RanStop) => {
  expect(warnings).toEqual([]);
  return runs.map(({ stdout }) => stdout?.trimEnd());
};

beforeAll(async () => {
  project = await HookProject.create();
  await project.write(".git/HEAD", "ref: refs/heads/feature/login\n");
  await copyFile(`${FIXTURES}chat.jsonl`, project.transcript);
});

describe.each(Object.entries(STOP_READERS))("hooks that use %s", (program, readers) => {
  test.skipIf(program !== "node" && !has(program))("find what they look for (H37)", async () => {
    const ran = await runReaders("Stop", Object.keys(readers));
    expect(outputs(ran)).toEqual(Object.values(readers));
  });
});

test.skipIf(!has("jq"))("a hook of a sub-agent finds its sidechain (H37)", async () => {
  const ran = await runReaders("SubagentStop", ["subagent.sh"]);
  expect(outputs(ran)).toEqual([
    "true task-1 workspace-1 Bash,TodoWrite,Skill,Agent,Write,Edit,Bash,Edit,TodoWrite,Bash",
  ]);
});
