/** Inputs in fixtures/agentHosts: those that `make test-hosts` recorded from real hosts, and documented ones. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hostNamed, projectHint, recognizeHost } from "@/cli/gauntlet/hosts/index";
import type { JsonObject } from "@/common/json";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { repository } from "@test/helpers/built";

const FOLDER = join(repository, "fixtures/agentHosts");
const NAMES = readdirSync(FOLDER);

const SESSION = "00000000-0000-4000-8000-000000000000";

function read(name: string, file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name, `${file}.json`), "utf8"));
}

/** The variables that a host sets, with the project's path as their value. */
function envOf(name: string): NodeJS.ProcessEnv {
  const variables = read(name, "variables") as string[];
  return Object.fromEntries(variables.map((each) => [each, "/project"]));
}

/** The environments of all hosts. */
const ENVS = [{}, ...NAMES.map(envOf), { CLAUDECODE: "1" }, { COPILOT_CLI: "1" }];

describe.each(NAMES)("%s", (name) => {
  const host = hostNamed(name)!;

  test.each(["firstStop", "secondStop"])(
    "is recognized by its %s in the environment of every host (G27b)",
    (file) => {
      const input = read(name, file) as JsonObject;
      // Hooks of Claude Code run in other hosts as well, which differ from the name in the command.
      const named = [undefined, hostNamed("claude")];
      const found = named.flatMap((by) => ENVS.map((env) => recognizeHost(input, env, by).name));
      expect(new Set(found)).toEqual(new Set([name]));
      const fields = host.readInput(input);
      expect(fields.sessionId).toContain(SESSION);
      // goose starts a hook in the folder of the session.
      expect(fields.cwd).toBe(name === "goose" ? undefined : "/project");
      if ("stop_hook_active" in input) expect(fields.stopHookActive).toBe(input.stop_hook_active);
    }
  );

  test("is recognized by its turnStart in the environment of every host (G27a, G27b)", () => {
    // Kiro CLI sends no field of its own there.
    const own = name === "kiro" ? { assistant_response: "" } : {};
    const input = { ...(read(name, "turnStart") as JsonObject), ...own };
    expect(new Set(ENVS.map((env) => recognizeHost(input, env).name))).toEqual(new Set([name]));
  });

  test("has the same session and turn at its turn-start as at its stops (G27a)", () => {
    const files = ["turnStart", "firstStop"];
    const [started, stopped] = files.map((file) => host.readInput(read(name, file) as JsonObject));
    const { sessionId, turnId, cwd, transcriptPath } = stopped!;
    const { stopHookActive: _, ...rest } = started!;
    expect(rest).toEqual({ ...{ sessionId, turnId, cwd, transcriptPath }, prompt: "Do it." });
  });

  test("names the project in its variable (G24)", () => {
    const { projectVariable } = host;
    const isSet = (read(name, "variables") as string[]).includes(projectVariable ?? "");
    expect(isSet).toBe(projectVariable !== undefined);
    expect(projectHint(host, envOf(name))).toBe(isSet ? "/project" : undefined);
  });
});

test("Codex gets only answers of a form that it has accepted (G27b)", () => {
  const { accepted } = read("codex", "answers") as { accepted: JsonObject[] };
  const forms = accepted.map((answer) => Object.keys(answer).join());
  const decisions = [
    { result: createResult("failed"), reason: "Fix it." },
    { result: createResult("failed"), reason: "Fix it.", personMessage: "a" },
    { result: createResult("retry_limit_exceeded"), personMessage: "a" },
    { result: createResult("passed") },
  ];
  for (const decision of decisions) {
    const { stdout } = hostNamed("codex")!.answer(decision);
    expect(forms).toContain(Object.keys(JSON.parse(stdout) as object).join());
  }
});

test("never takes Mux for another host because of the fields that it adds (G27b)", () => {
  const input = {
    session_id: "w",
    transcript_path: "/home/me/.mux/sessions/w/chat.jsonl",
    cwd: "/project",
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: "Done.",
    background_tasks: [],
    session_crons: [],
  };
  const added = { prompt_id: "p", model: "m", effort: { level: "low" } };
  const env = { CLAUDE_PROJECT_DIR: "/project" };
  expect(recognizeHost(input, env)).toBe(recognizeHost({ ...input, ...added }, env));
  const whole = recognizeHost({ ...input, prompt_id: "p", context_usage: 0.5 }, env);
  expect(whole.name).toBe("unknown");
});

test("Claude Code is recognized by a new message of its user (G27a, G27b)", () => {
  const input = {
    session_id: "s",
    transcript_path: "/home/you/.claude/projects/-project/s.jsonl",
    cwd: "/project",
    hook_event_name: "UserPromptSubmit",
    permission_mode: "default",
    prompt: "Do it.",
  };
  expect(recognizeHost(input, { GEMINI_PROJECT_DIR: "/project" })).toBe(hostNamed("claude"));
});
