import { writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ANSWERS } from "@/cli/gauntlet/hosts/answers";
import { hostNamed, projectHint, recognizeHost } from "@/cli/gauntlet/hosts/index";
import { lastOfTurn } from "@/cli/gauntlet/stopHook/decideStopHook";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { isSetupFile } from "@/node/services/gauntlet/domain/relevantFiles";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { tempDir } from "@test/helpers/tempDir";

/** Inputs of hosts whose license allows no recording by a test, as measured. Those of the others are in fixtures/agentHosts. */
const INPUTS = {
  claude: {
    session_id: "s",
    transcript_path: "/home/me/.claude/projects/p/s.jsonl",
    cwd: "/p",
    prompt_id: "t",
    permission_mode: "bypassPermissions",
    effort: { level: "medium" },
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: "I am done (1).",
    background_tasks: [],
    session_crons: [],
  },
  copilot: {
    sessionId: "s",
    timestamp: 1_795_291_584_074,
    cwd: "/p",
    transcriptPath: "/home/me/.copilot/session-state/events.jsonl",
    stopReason: "end_turn",
    stop_hook_active: false,
  },
  "copilot in Claude's format": {
    hook_event_name: "Stop",
    session_id: "s",
    timestamp: "2026-11-21T00:00:00Z",
    cwd: "/p",
    transcript_path: "/home/me/.copilot/session-state/events.jsonl",
    stop_reason: "end_turn",
    stop_hook_active: false,
  },
} as const;

const IN_CLAUDE = { CLAUDECODE: "1", CLAUDE_PROJECT_DIR: "/p" };
const IN_QWEN = { ...IN_CLAUDE, GEMINI_PROJECT_DIR: "/p", QWEN_PROJECT_DIR: "/p" };
const ENVIRONMENTS: NodeJS.ProcessEnv[] = [
  ...[{}, IN_CLAUDE, IN_QWEN, { GEMINI_PROJECT_DIR: "/p" }, { COPILOT_CLI: "1" }],
];

describe("recognizeHost", () => {
  test.each(Object.entries(INPUTS))(
    "recognizes the input of %s in the environment of every host (G27b)",
    (name, input) => {
      const names = ENVIRONMENTS.map((env) => recognizeHost(input, env).name);
      expect(new Set(names)).toEqual(new Set([name.replace(/ in .*/, "")]));
    }
  );

  test.each([
    [{}, IN_CLAUDE, "claude"],
    [{ stop_hook_active: true, cwd: "/p" }, { CLAUDECODE: "1" }, "claude"],
    [{ stop_hook_active: true, cwd: "/p" }, { CLAUDE_PROJECT_DIR: "/p" }, "claude"],
    [{ stop_hook_active: true, cwd: "/p" }, {}, "unknown"],
    [{ an_unknown_field: 1 }, IN_CLAUDE, "unknown"],
    [{ hook_event_name: "AfterAgent" }, IN_CLAUDE, "gemini"],
    [{ hook_event_name: "SessionEnd" }, IN_CLAUDE, "unknown"],
    [{}, { QWEN_PROJECT_DIR: "/p" }, "qwen"],
    [{}, { GEMINI_PROJECT_DIR: "/p" }, "gemini"],
    [{}, { COPILOT_CLI: "1" }, "copilot"],
    [{}, IN_QWEN, "unknown"],
    [{}, { CLAUDECODE: "" }, "unknown"],
  ])(
    "selects for %j in %j by variables that the input does not contradict: %s (G27b)",
    (...row) => {
      const [input, env, name] = row;
      expect(recognizeHost(input, env).name).toBe(name);
    }
  );

  test("finds a host by its name (G27b)", () => {
    expect(hostNamed("claude")?.name).toBe("claude");
    expect(hostNamed("unknown")?.name).toBe("unknown");
    expect(hostNamed("toString")).toBeUndefined();
  });
});

describe("projectHint (G24)", () => {
  const claude = hostNamed("claude")!;
  const unknown = hostNamed("unknown")!;

  test.each([
    [claude, IN_CLAUDE, "/p"],
    [unknown, IN_CLAUDE, "/p"],
    [hostNamed("qwen")!, { QWEN_PROJECT_DIR: "/q", CLAUDE_PROJECT_DIR: "/c" }, "/q"],
    [hostNamed("codex")!, IN_CLAUDE, undefined],
    [claude, { CLAUDE_PROJECT_DIR: "p" }, undefined],
    [claude, { QWEN_PROJECT_DIR: "/p" }, undefined],
    [unknown, {}, undefined],
  ])("returns the host's own absolute path or undefined (G24)", (host, env, path) => {
    expect(projectHint(host, env)).toBe(path);
  });
});

describe("readInput", () => {
  const { readInput } = hostNamed("unknown")!;

  test("reads session and turn under the names that hosts use (G27a)", () => {
    expect(readInput(INPUTS.claude)).toEqual({
      stopHookActive: false,
      cwd: "/p",
      sessionId: "s",
      turnId: "t",
      transcriptPath: "/home/me/.claude/projects/p/s.jsonl",
      lastMessage: "I am done (1).",
      backgroundTasks: [],
    });
    expect(readInput({ session_id: "s", turn_id: "t" })).toEqual({ sessionId: "s", turnId: "t" });
    const copilot = { stopHookActive: false, cwd: "/p", sessionId: "s" };
    expect(readInput(INPUTS.copilot)).toEqual(copilot);
  });

  test("treats a field of the wrong type or size as missing (G22)", () => {
    const wrong = { stop_hook_active: "true", cwd: "a\0b", session_id: 5, prompt_id: "" };
    expect(readInput(wrong)).toEqual({});
    expect(readInput({ cwd: "", session_id: "x".repeat(1_000) })).toEqual({});
    expect(readInput({ background_tasks: {}, last_assistant_message: 3 })).toEqual({});
  });
});

describe("the last message of Gemini CLI, whose input has the whole turn (G38)", () => {
  const last = "It is fixed.\nSee a.txt.";
  const parts = last.split(/(?<=\n)/).map((text) => ({ text }));
  const message = (content: unknown, type = "gemini") => ({ id: "1", type, content });

  test.each<[string, readonly unknown[] | undefined, string | undefined]>([
    ["its last text", [message("I begin."), message("x", "user"), message(last)], last],
    ["a text in parts", [message(parts)], last],
    ["a call of a tool after it", [message(last), message("")], last],
    ["nothing of it", [message("Another text."), "{oops", message(last, "user")], undefined],
    ["no file", undefined, undefined],
  ])("is that of the transcript with %s", async (_, rows, expected) => {
    const path = join(await tempDir(), "session.jsonl");
    const lines = rows?.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
    if (lines !== undefined) await writeFile(path, `${lines.join("\n")}\n`);
    const input = { transcriptPath: path, lastMessage: `I begin.\n${last}` };
    expect(await lastOfTurn(new LocalFiles(), input)).toBe(expected ?? input.lastMessage);
  });
});

const FAILED = { result: createResult("failed"), reason: "Fix it." };
const WARNED = { result: createResult("retry_limit_exceeded"), personMessage: "a\nb" };
const PASSED = { result: createResult("passed") };

/** An answer of one line of JSON. */
const json = (line: string) => ({ stdout: `${line}\n`, stderr: "", exitCode: 0 });

test.each<readonly [string, AgentHost["answer"]]>([
  ["--answer claude", ANSWERS.claude],
  ...["claude", "gemini", "qwen", "unknown"].map(
    (name) => [name, hostNamed(name)!.answer] as const
  ),
])("prints one line of JSON for %s, with the user's message if there is one (G23)", (_, answer) => {
  expect(answer(PASSED)).toEqual(
    json('{"decision":"approve","status":"passed","message":"all gates passed"}')
  );
  const told = answer({ ...FAILED, personMessage: "a\nb" });
  expect(JSON.parse(told.stdout)).toEqual({
    decision: "block",
    status: "failed",
    message: "earlier failures are not resolved",
    reason: "Fix it.",
    stopReason: "Fix it.",
    systemMessage: "Gauntlet: a\nGauntlet: b",
  });
  expect(told.stdout.trimEnd()).not.toContain("\n");
});

const MESSAGE = '"systemMessage":"Gauntlet: a\\nGauntlet: b"';
const codex = hostNamed("codex")!.answer;

test.each([
  [
    "Codex, with the fields that it accepts",
    codex,
    ['{"decision":"block","reason":"Fix it."}', `{${MESSAGE}}`, "{}"].map(json),
  ],
  ["--answer followup", ANSWERS.followup, ['{"followup_message":"Fix it."}', "{}", "{}"].map(json)],
  [
    "--answer ok",
    ANSWERS.ok,
    ['{"ok":false,"reason":"Fix it."}', `{"ok":true,${MESSAGE}}`, '{"ok":true}'].map(json),
  ],
  [
    "--answer exit2, which shows a message by exit code 1",
    ANSWERS.exit2,
    [
      { stdout: "", stderr: "Fix it.\n", exitCode: 2 },
      { stdout: "", stderr: "Gauntlet: a\nGauntlet: b\n", exitCode: 1 },
      { stdout: "", stderr: "", exitCode: 0 },
    ],
  ],
])("answers %s (G27b)", (_, answer, answers) => {
  expect([FAILED, WARNED, PASSED].map(answer)).toEqual(answers);
});

test("shows a message of Codex with a block (G27b)", () => {
  expect(codex({ ...FAILED, personMessage: "a" })).toEqual(
    json('{"decision":"block","reason":"Fix it.","systemMessage":"Gauntlet: a"}')
  );
});

test("blocks Copilot with JSON, and shows a message to its user with exit code 2 (G27b)", () => {
  const { answer } = hostNamed("copilot")!;
  expect(JSON.parse(answer(FAILED).stdout)).toMatchObject({ decision: "block", reason: "Fix it." });
  expect(answer(FAILED)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(answer(WARNED)).toEqual({ stdout: "", stderr: "Gauntlet: a\nGauntlet: b\n", exitCode: 2 });
  expect(answer(PASSED)).toMatchObject({ exitCode: 0 });
});

test.each(HOOK_HOSTS.map((host) => [host.install.title, host] as const))(
  "no check fails because of the files that init writes for %s (G43)",
  (_, { install }) => {
    const place = { home: "/home/u", projectDir: "/p", env: {} };
    const paths = install.files(place).map(({ path }) => posix.relative("/p", path));
    const inProject = paths.filter((path) => !path.startsWith(".."));
    expect(inProject.filter((path) => !isSetupFile(path))).toEqual([]);
  }
);
