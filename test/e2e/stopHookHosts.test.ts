/** `stop-hook` and `turn-start` as agent hosts call them, with their options, inputs and environments. */
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@/common/json";
import { agentGauntletBin, repository } from "@test/helpers/freshBuild";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { start, type StopHookOptions } from "@test/helpers/gauntlet/stopHookCommand";
import { stop, stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { untilOver } from "@test/helpers/gauntlet/stops";
import { CHECKED_SRC, projectWith } from "@test/helpers/hooks/stopHookProject";
import { tempDir } from "@test/helpers/tempDir";

/** Returns the input that Claude Code sends. */
function claudeInput(active: boolean, more: Readonly<Record<string, unknown>> = {}): string {
  const fields = {
    session_id: "s",
    transcript_path: "/home/me/.claude/projects/p/s.jsonl",
    prompt_id: "t",
    hook_event_name: "Stop",
    stop_hook_active: active,
    ...more,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Returns the code and the output of a stop. */
async function raw({ dir }: Pick<GauntletProject, "dir">, input: string, args: readonly string[]) {
  return await stopInProcess(JSON.parse(input) as JsonObject, {
    ...{ cwd: dir, home: await tempDir(), args },
  });
}

const VERIFY = { args: ["--verify", "--host", "claude", "--limit", "300"] };

test("an agent that stops again is blocked with --verify until the retry limit, and then the user gets the reason (G25a, G27)", async () => {
  const project = await projectWith("max_retries: 2\n", ["src/bad"]);
  const answers = [];
  for (const active of [false, true, true, true, false]) {
    const input = claudeInput(active, { prompt_id: undefined });
    answers.push(await stop(project.dir, input, VERIFY));
  }
  expect(answers.map(({ decision, status }) => `${decision} ${status}`)).toEqual([
    "block failed",
    "block failed",
    "approve retry_limit_exceeded",
    "approve retry_limit_exceeded",
    "block failed",
  ]);
  expect(answers[0]?.systemMessage).toBeUndefined();
  expect(answers[2]?.systemMessage).toMatch(/^Gauntlet: not verified: no file changed/);
  expect(answers[2]?.systemMessage).toContain("check:src:ok");
});

test("the last message of Gemini CLI is that of its transcript (G38)", async () => {
  const project = await projectWith("max_retries: 0\n", ["src/bad"]);
  const transcript_path = project.path(".git/chat.jsonl");
  await project.write(".git/chat.jsonl", '{"type":"gemini","content":"It is down."}\n');
  const input = { hook_event_name: "AfterAgent", session_id: "s", transcript_path };
  const text = JSON.stringify({ ...input, prompt_response: "I begin.\nIt is down." });
  const { systemMessage } = await stop(project.dir, text, { args: ["--verify"] });
  expect(systemMessage).toContain("the agent's last message: It is down.");
});

describe("a host that runs the hooks of Claude Code is answered in its own form (G27b)", () => {
  const documented = (name: string, file: string, cwd: string): string =>
    readFileSync(join(repository, "fixtures/agentHosts", name, `${file}.json`), "utf8").replaceAll(
      "/project",
      cwd
    );

  test("VS Code", async () => {
    const project = await projectWith("max_retries: 1\n");
    const input = (file: string): string => documented("vscode", file, project.dir);
    const settings = ".claude/settings.local.json";
    await project.write(settings, '{"command": "agent-gauntlet stop-hook"}');
    expect((await turnStart(project.dir, input("turnStart"))).code).toBe(0);
    await project.remove(settings);
    const again = await turnStart(project.dir, input("turnStart"));
    expect(again.stdout).toContain("the Stop hook was removed");
    await project.write("src/bad", "x");
    const first = await raw(project, input("firstStop"), VERIFY.args);
    const second = await raw(project, input("secondStop"), VERIFY.args);
    expect([first.code, second.code]).toEqual([0, 0]);
    const hookSpecificOutput = { hookEventName: "Stop", decision: "block" };
    expect(JSON.parse(first.stdout)).toMatchObject({ hookSpecificOutput });
    const systemMessage = expect.stringContaining("retry limit") as string;
    expect(JSON.parse(second.stdout)).toEqual({ systemMessage });
  });

  test("and runs nothing if the turn ended with an error", async () => {
    const project = await projectWith("", ["src/bad"]);
    const input = documented("cursor", "firstStop", project.dir).replace("completed", "error");
    const { stdout } = await (await start(project.dir, VERIFY)).send(input).end;
    expect(stdout).toBe("{}\n");
    expect(await project.logs()).toEqual([]);
  });
});

test("--answer selects the form for a host that is not known (G27b)", async () => {
  const { dir } = await projectWith("", ["src/bad"]);
  const args = ["--verify", "--host", "unknown", "--answer", "exit2"];
  const end = await raw({ dir }, '{"a_new_field":1}', args);
  expect([end.code, end.stdout]).toEqual([2, ""]);
  expect(end.stderr).toMatch(/^Gauntlet gates did not pass\./);
  expect(end.stderr).not.toContain("[gauntlet]");
});

test("claude -p is postponed like an interactive session, because it waits for its agents (G39)", async () => {
  const { dir } = await projectWith("", ["src/bad"]);
  const input = claudeInput(false, { background_tasks: [{ id: "a", type: "subagent" }] });
  const env = { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" };
  expect((await stop(dir, input, { ...VERIFY, env })).status).toBe("postponed");
});

const SILENT = { code: 0, stdout: "", stderr: "" };

async function turnStart(cwd: string, input: string, options: StopHookOptions = {}) {
  const command = await start(cwd, { ...options, command: "turn-start" });
  return await command.send(input).end;
}

describe("turn-start prints nothing and exits with 0 (G27a)", () => {
  test("for an input that is not JSON or names no project, without one, inside a gate, without a folder to write, and if not built", async () => {
    const project = await projectWith();
    const { dir } = project;
    expect(await turnStart(dir, "nonsense")).toEqual(SILENT);
    expect(await turnStart(await tempDir(), '{"cwd":"/nowhere","session_id":7}')).toEqual(SILENT);
    const empty = await start(dir, { command: "turn-start", stdin: "ignore" });
    expect(await empty.end).toEqual(SILENT);
    expect(await turnStart(dir, "{}", { env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" } })).toEqual(SILENT);
    await project.remove(".git/agent-gauntlet").catch(() => undefined);
    await project.write(".git/agent-gauntlet", "a file");
    expect(await turnStart(dir, "{}")).toEqual(SILENT);
    const folder = await tempDir();
    const bin = join(folder, "bin", "agent-gauntlet.cjs");
    await mkdir(join(folder, "bin"));
    await copyFile(agentGauntletBin, bin);
    expect(await turnStart(dir, "{}", { bin })).toEqual(SILENT);
  });

  test("and loads no library that parses or runs programs", async () => {
    const bundle = await readFile(join(repository, "dist/cli/turnStartProcess.cjs"), "utf8");
    expect(bundle).not.toMatch(
      /ZodError|YAMLParseError|POSIX_REGEX_SOURCE|Commander|child_process/
    );
  });
});

describe("the project (G24)", () => {
  test("is that of CLAUDE_PROJECT_DIR in a nested repository or elsewhere, also if its configuration was removed after a failure (G24)", async () => {
    const project = await projectWith("", ["src/bad"]);
    await project.git("init", "--quiet", "nested");
    const cwd = project.path("nested");
    expect(await stop(cwd, "{}")).toMatchObject({ status: "no_config" });
    const env = { CLAUDE_PROJECT_DIR: project.dir };
    expect(await stop(cwd, "{}", { env })).toMatchObject({ decision: "block", status: "failed" });
    const again = async () => await stop(await tempDir(), claudeInput(false), { env });
    expect(await again()).toMatchObject({ decision: "block", status: "failed" });
    await project.remove(".gauntlet");
    const { decision, reason } = await again();
    expect(decision).toBe("block");
    expect(reason).toContain(project.path(".gauntlet/config.yml"));
  });

  test("is also that of CLAUDE_PROJECT_DIR if the agent is in another project, and both reasons fit into the limit of the calling host (G24, G26, G27b)", async () => {
    const long = { ok: "command: test ! -e bad || { seq 1 5000; exit 1; }\n" };
    const project = await GauntletProject.create(CHECKED_SRC, long);
    const other = await GauntletProject.create(CHECKED_SRC, long);
    await project.write("src/bad", "x");
    const env = { CLAUDE_PROJECT_DIR: project.dir };
    const one = await stop(other.dir, claudeInput(false), { env });
    expect(one).toMatchObject({ decision: "block", status: "failed" });
    expect(one.reason).toContain(project.path("gauntlet_logs"));
    expect(one.reason?.length).toBeLessThan(4_000);
    expect(one.reason?.length).toBeGreaterThan(2_000);
    await Promise.all([project.write("src/more", "x"), other.write("src/bad", "x")]);
    const both = await stop(other.dir, claudeInput(false), { env });
    expect(both.reason).toContain(project.path("gauntlet_logs"));
    expect(both.reason).toContain(other.path("gauntlet_logs"));
    expect(both.reason?.length).toBeLessThan(4_000);
    expect(both.reason?.length).toBeGreaterThan(2_000);
    await Promise.all([project.remove("src/bad"), other.remove("src/bad")]);
    expect(await stop(other.dir, claudeInput(false), { env })).toMatchObject({ status: "passed" });
    await project.write(".gauntlet/config.yml", "entry_points: 3\n");
    const { status, systemMessage } = await stop(other.dir, claudeInput(false), { env });
    expect(status).not.toBe("passed");
    expect(systemMessage).toContain(`${project.dir}: `);
  });

  test("is also that of CLAUDE_PROJECT_DIR in the same repository (G24)", async () => {
    const project = await projectWith("", []);
    await project.write("two/.gauntlet/config.yml", "checks: { two: '! test -e bad' }\n");
    await project.commit("second project");
    const two = project.path("two");
    const env = { CLAUDE_PROJECT_DIR: project.dir };
    const options = { ...VERIFY, env };
    for (const path of ["src/bad", "two/bad"]) await project.write(path, "of the user");
    await turnStart(project.dir, claudeInput(false), { env });
    // The agent only looked around.
    expect(await stop(two, claudeInput(false), options)).toMatchObject({ status: "no_changes" });
    await project.remove("two/bad");
    await turnStart(two, claudeInput(false), { env });
    await project.write("src/bad", "x");
    for (let attempt = 1; attempt <= 2; attempt++) {
      const first = await stop(two, claudeInput(attempt > 1), options);
      expect(first).toMatchObject({ decision: "block", status: "failed" });
      expect(first.message).toContain(`attempt ${attempt} of 4`);
      expect(first.reason).not.toContain("check:.:two");
    }
    await project.write("two/bad", "x");
    await project.remove("src/bad");
    const second = await stop(two, claudeInput(true), options);
    expect(second.message).toContain("attempt 1 of 4");
    expect(second.reason).toContain("check:.:two");
    // Some hosts send the reason as a message, which begins no turn in the project that passed either.
    const message = { ...(JSON.parse(claudeInput(false)) as object), prompt: second.reason };
    await turnStart(two, JSON.stringify(message), { env });
    expect((await stop(two, claudeInput(true), options)).message).toContain("attempt 2 of 4");
    await project.remove("two/bad");
    expect(await stop(two, claudeInput(true), options)).toMatchObject({ status: "passed" });
    expect(await stop(two, claudeInput(true), options)).toMatchObject({ status: "no_changes" });
  });
});

test("leaves a check that exceeds --limit unverified (G27c)", async () => {
  const project = await GauntletProject.create(CHECKED_SRC, {
    ok: "command: echo >> ../.git/started; sleep 60\n",
  });
  await project.write("src/new", "x");
  const options = { args: ["--verify", "--limit", "777"] };
  const first = await untilOver(
    () => existsSync(project.path(".git/started")),
    () => stop(project.dir, claudeInput(false), options)
  );
  expect(first).toMatchObject({ decision: "approve", status: "infrastructure_error" });
  expect(first.systemMessage).toMatch(/did not end within 7\d\d(\.\d)? s/);
});
