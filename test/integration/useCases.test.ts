/** The use cases of the requirements: script hooks with a transcript in Mux's format (chat.jsonl). */
import { appendFile, chmod, copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { execFileAsync } from "@test/helpers/process/processes";
import { WatchedController } from "@test/helpers/hooks/stopController";

let project: HookProject;
beforeEach(async () => {
  project = await HookProject.create();
});

/** Copies a fixture to the path of the project's script hook. */
async function install(fixture: string, name: "stop" | "subagent_stop" = "stop"): Promise<void> {
  const source = new URL(`../../fixtures/hooks/use-cases/${fixture}`, import.meta.url);
  await mkdir(project.path(".mux"), { recursive: true });
  await copyFile(fileURLToPath(source), project.path(".mux", name));
  await chmod(project.path(".mux", name), 0o755);
}

/** Appends a message to the transcript, with the host's order of keys. */
async function says(role: "user" | "assistant", parts: readonly unknown[]): Promise<void> {
  const row = {
    id: `${role}-1`,
    role,
    parts,
    metadata: { timestamp: 1 },
    workspaceId: "workspace-1",
  };
  await appendFile(project.transcript, `${JSON.stringify(row)}\n`);
}

const text = (words: string) => ({ type: "text", text: words });
const bash = (script: string, output: string) => ({
  type: "dynamic-tool",
  toolCallId: "call-1",
  toolName: "bash",
  input: { script },
  output: { success: true, output },
  state: "output-available",
});

const AGREES = { action: "end", reason: "the hooks allowed the stop" };
const asks = (reason: string, event = "Stop") => ({
  action: "continue",
  continuation: 1,
  message: `[${event} hook requested continuation]\n${reason}`,
});

const turnEnds = async () => await new WatchedController(project).turnEnds();

describe("tests are run before stopping", () => {
  beforeEach(() => install("run-tests-first"));

  test("sends the agent back once, without a loop", async () => {
    await says("user", [text("Fix the test")]);
    await says("assistant", [text("I fixed it."), bash("ls src", "a.js")]);
    const watched = new WatchedController(project);
    expect(await watched.turnEnds()).toEqual(asks("Please run tests before stopping"));
    expect(await watched.turnEnds()).toEqual(AGREES);
  });

  test("lets an agent stop that ran them", async () => {
    await says("assistant", [bash("npm test", "ok"), text("Done.")]);
    expect(await turnEnds()).toEqual(AGREES);
  });
});

// Use case 1: test verification.
test("sends the agent back until tests have passed, and ignores the hook's own message", async () => {
  await install("tests-pass");
  const watched = new WatchedController(project);
  await says("assistant", [text("Done.")]);
  const verdict = await watched.turnEnds();
  expect(verdict).toEqual(asks("Run and verify tests pass before stopping"));
  if (verdict.action === "continue") await says("user", [text(verdict.message)]);
  expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation: 2 });
  await says("assistant", [bash("npm test", "12 tests pass"), text("All green.")]);
  expect(await watched.turnEnds()).toEqual(AGREES);
});

// Use case 2: lint check.
test("sends the agent back while the linter finds errors", async () => {
  await install("lint");
  await project.write("Makefile", "lint:\n\t@echo 'a.c:1: error: unused'; false\n");
  expect(await turnEnds()).toEqual(asks("Fix lint errors before stopping"));
  await project.write("Makefile", "lint:\n\t@echo clean\n");
  expect(await turnEnds()).toEqual(AGREES);
});

const git = (...args: string[]) =>
  execFileAsync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    cwd: project.dir,
  });

test("use case 3, a commit reminder, sends the agent back while there are uncommitted changes", async () => {
  await install("commit");
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "hook");
  expect(await turnEnds()).toEqual(AGREES);
  await project.write("new.txt", "new");
  const reason = "You have uncommitted changes. Please commit or stash.";
  expect(await turnEnds()).toEqual(asks(reason));
  await git("add", ".");
  await git("commit", "--quiet", "--message", "new");
  expect(await turnEnds()).toEqual(AGREES);
});

describe("use case 4: subagent completion check", () => {
  beforeEach(() => install("subagent-used-tools", "subagent_stop"));

  const childEnds = async () =>
    await new WatchedController(project, { event: "SubagentStop" }).turnEnds({
      input: { ...project.input, session_id: "task-1", agent_id: "task-1", agent_type: "explore" },
    });

  test("sends back a sub-agent that has used no tool", async () => {
    await says("assistant", [text("I think it is fine.")]);
    const reason = "Subagent should use tools to complete the task";
    expect(await childEnds()).toEqual(asks(reason, "SubagentStop"));
    await says("assistant", [bash("rg TODO", "none"), text("Nothing left.")]);
    expect(await childEnds()).toEqual(AGREES);
  });

  test("does not run for the main agent", async () => {
    expect(await turnEnds()).toEqual({ action: "end", reason: "no hook had to run" });
  });
});
