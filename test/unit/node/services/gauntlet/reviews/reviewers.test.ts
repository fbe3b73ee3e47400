import { describe, expect, test } from "vitest";
import * as reviewers from "@/node/services/gauntlet/reviews/reviewers";
import { nonceIn } from "@/node/services/gauntlet/reviews/buildPrompt";

const PROMPT = "--help; SECRET PROMPT $(touch x)";
const argsOf = (reviewer: reviewers.Reviewer, model?: string): readonly string[] => {
  const file = reviewer.fileFor === undefined ? "" : "/a,b/logs/file";
  const { command } = reviewer.call({ prompt: PROMPT, cwd: "/a,b", file, ...(model && { model }) });
  return "file" in command ? command.args : [command.script];
};
const known = (name: string): reviewers.Reviewer => reviewers.reviewerFor(name, {})!;

test("reviewerFor returns the known reviewers with their programs (G12a)", () => {
  expect(reviewers.REVIEWER_NAMES.map((name) => [name, known(name).program])).toEqual([
    ["claude", "claude"],
    ["codex", "codex"],
    ["gemini", "gemini"],
    ["github-copilot", "copilot"],
    ["cursor", "agent"],
    ["opencode", "opencode"],
    ["qwen", "qwen"],
  ]);
  expect(reviewers.reviewerFor("constructor", {})).toBeUndefined();
  expect(reviewers.reviewerFor("__proto__", {})).toBeUndefined();
});

describe.each(reviewers.REVIEWER_NAMES)("%s (G12)", (name) => {
  const reviewer = known(name);

  test("gets its prompt by stdin or a file, never as an argument", () => {
    expect(argsOf(reviewer).join(" ")).not.toContain("SECRET");
    const { stdin } = reviewer.call({ prompt: PROMPT, cwd: "/a,b", file: "/a,b/logs/file" });
    expect([stdin, reviewer.fileFor?.(PROMPT).text]).toContain(PROMPT);
  });

  test("gets a model of any name as one argument with its flag", () => {
    const added = argsOf(reviewer, "--yolo").filter((arg) => !argsOf(reviewer).includes(arg));
    expect(added).toEqual(["--model=--yolo"]);
  });

  test("is not allowed to change anything", () => {
    expect(argsOf(reviewer)).toEqual(expect.arrayContaining([...READ_ONLY[name]!]));
    expect(argsOf(reviewer).join(" ")).not.toMatch(/yolo|dangerously|allow-all|bypass|--force/);
  });
});

const READ_ONLY: Readonly<Record<string, readonly string[]>> = {
  claude: ["--permission-mode=default", "--tools=Read,Grep,Glob"],
  codex: ["--sandbox=read-only"],
  gemini: ["--approval-mode=default", "--admin-policy=logs/file"],
  "github-copilot": ["--available-tools=view,grep,glob", "--deny-tool=write", "--deny-tool=shell"],
  cursor: ["--mode=ask"],
  opencode: ["--agent=plan"],
  qwen: [
    "--approval-mode=default",
    "--core-tools=read_file,grep_search,glob,list_directory",
    "--safe-mode",
  ],
};

test("gemini's policy and opencode's permissions deny everything but reading", () => {
  expect(known("gemini").fileFor?.("").text).toMatch(/toolName = "\*"\ndecision = "deny"/);
  const { env } = known("opencode").call({ prompt: "", cwd: "/", file: "" });
  expect(JSON.parse(env?.OPENCODE_PERMISSION ?? "")).toMatchObject({ "*": "deny" });
});

test("a command of the user replaces a known reviewer, and gets the model by a variable", () => {
  const own = reviewers.reviewerFor("claude", { claude: "ollama run qwen" })!;
  expect(own.program).toBeUndefined();
  expect(own.call({ prompt: PROMPT, model: "m", cwd: "/", file: "" })).toEqual({
    command: { script: "ollama run qwen" },
    stdin: PROMPT,
    env: { GAUNTLET_REVIEW_MODEL: "m", GAUNTLET_REVIEW_NONCE: nonceIn(PROMPT) },
  });
});
