import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { node, shellWord } from "@test/helpers/hooks/hookProject";
import { has } from "@scripts/programs.mjs";
import * as processes from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { screen } from "@test/helpers/process/terminal";
import { expectSoon } from "@test/helpers/soon";

const bin = join(repository, "bin", "mux-stop-hooks.cjs");
const ENV = { ...PROJECT_ENV, HOME: await tempDir(), MUX_HOOKS_TRUST: "always" };

/** Runs a shell line in a project; `mux-stop-hooks` in it is the built command. */
async function shell({ dir: cwd }: GauntletProject, line: string): Promise<processes.ProgramEnd> {
  const command = `mux-stop-hooks() { ${node(bin)} "$@"; }; ${line}`;
  return await processes.runToEnd("bash", ["-c", command], { cwd, env: ENV });
}

/** Creates a project with a change and one check that runs this script. */
async function changedProject(script: string): Promise<GauntletProject> {
  const project = await GauntletProject.create("entry_points:\n  - path: src\n    checks: [it]\n", {
    it: `command: ${JSON.stringify(script)}\n`,
  });
  await project.write("src/new.txt", "x");
  return project;
}

/** Runs a shell line on a terminal. `untilDrawn` sees its output in the file `DRAWN`. */
async function onTerminal(project: GauntletProject, line: string) {
  const drawn = join(await tempDir(), "drawn");
  const command = `script -qefc ${shellWord(line)} "$DRAWN" </dev/null`;
  return await shell(project, `export TERM=xterm SHELL=/bin/bash DRAWN=${drawn}; ${command}`);
}

/** A shell line that waits until the terminal has got this text. */
function untilDrawn(text: string): string {
  return `until grep -qF '${text}' "$DRAWN"; do sleep 0.02; done`;
}

test("sets the exit code of the process, and prints one line of JSON with --json, or of an error (G30b)", async () => {
  const project = await changedProject("exit 3");
  const line =
    'mux-stop-hooks run --json 2>/dev/null; echo $?; mux-stop-hooks nonsense 2>/dev/null; echo $?; mux-stop-hooks list > /dev/full; echo $?; mkdir gone; cd gone; rmdir "$PWD"; mux-stop-hooks run; echo $?';
  const { stdout, stderr } = await shell(project, line);
  const [json = "", ...codes] = stdout.trimEnd().split("\n");
  expect(JSON.parse(json)).toMatchObject({ status: "failed", gatesFailed: 1 });
  expect(codes).toEqual(["1", "2", "1", "1"]);
  expect(stderr).toMatch(
    /^mux-stop-hooks: the output could not be written: ENOSPC.*\nmux-stop-hooks: the current folder cannot be used: .*\n$/
  );
});

test("exits with 0 if the reader closes the pipe early", async () => {
  const project = await changedProject("true");
  await shell(
    project,
    'for i in {1..3000}; do : > "src/a file with a name of some length $i"; done'
  );
  const line = "mux-stop-hooks detect | head -n 1; echo ${PIPESTATUS[0]}";
  expect(await shell(project, line)).toEqual({
    code: 0,
    stdout: "Found 3001 changed files:\n0\n",
    stderr: "",
  });
});

/**
 * Starts a run. `pids` are the process IDs of the check and its child. The check writes to `ending` when it receives
 * SIGTERM, and continues.
 */
async function startedRun(trap = "") {
  const folder = await tempDir();
  const started = await processes.makeGate(folder, "started");
  const ending = await processes.makeGate(folder, "ending");
  const script = `${trap.replace("ENDING", ending.path)} sleep 60 & echo $$ > ../pids; echo $! >> ../pids; echo > ${started.path}; while :; do wait; sleep 0.05; done`;
  const project = await changedProject(script);
  const run = spawn(process.execPath, [bin, "run"], {
    cwd: project.dir,
    env: ENV,
    stdio: "ignore",
  });
  await readFile(started.path);
  return { project, run, pids: await processes.readPids(project.path("pids")), ending };
}

test("SIGTERM ends the checks with all their children, and then the command with 143 (G28)", async () => {
  const { project, run, pids } = await startedRun();
  expect(pids.map(processes.isAlive)).toEqual([true, true]);
  run.kill("SIGTERM");
  expect(await once(run, "exit")).toEqual([143, null]);
  expect(pids.map(processes.isAlive)).toEqual([false, false]);
  expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  expect(await project.state()).toMatchObject({ status: "infrastructure_error" });
});

test("ends on a second signal, without waiting for a check that ignores SIGTERM (G28)", async () => {
  const { run, pids, ending } = await startedRun("trap 'echo > ENDING' TERM;");
  run.kill("SIGINT");
  await readFile(ending.path);
  run.kill("SIGTERM");
  // After the grace period it would exit with the code of the first signal.
  expect(await once(run, "exit")).toEqual([143, null]);
  await expectSoon(() => pids.some(processes.isAlive)).toBe(false);
});

test.runIf(has("script"))(
  "shows live lines on a real terminal, and leaves a clean screen at the end (G30)",
  async () => {
    const project = await changedProject(untilDrawn("running"));
    const { stdout } = await onTerminal(project, node(bin, "run"));
    expect(stdout).toContain("finding the changed files");
    expect(stdout).toMatch(/check:src:it {2}running +[\d.]+m?s/);
    expect(screen(stdout).replaceAll("\r", "").split("\n")).toEqual([
      expect.stringMatching(/^ {2}✔ check:src:it {2}passed +[\d.]+m?s$/),
      "",
      "Gates: 1 passed",
      expect.stringMatching(/^Time: /),
      "Status: Passed",
      "",
    ]);
  }
);

test.runIf(has("script"))(
  "leaves whole lines on a real terminal of 60 columns that shrinks, and after Ctrl-C (G28, G30)",
  async () => {
    const resize = `${untilDrawn("running")}; stty cols 20 < $RUN_TTY; ${untilDrawn("[2A")}`;
    const project = await changedProject(`${resize}; kill -INT $RUN_PID; sleep 600`);
    // The run replaces the shell, so the check knows its process ID.
    const run = `stty cols 60; RUN_TTY=$(tty) RUN_PID=$$ exec ${node(bin, "run")}`;
    const { code, stdout } = await onTerminal(project, run);
    expect(code).toBe(130);
    expect(screen(stdout).replaceAll("\r", "").split("\n")).toEqual([
      "  - check:src:it",
      "      cancelled",
      "",
      "Gates: 1 without a",
      "  result",
      expect.stringMatching(/^Time: /),
      "the run was interrupted; the changes were not verified",
      "",
    ]);
    // The line of the gate has become two rows.
    expect(stdout).toContain("\u001b[2A");
    expect(stdout).not.toContain("\u001b[?25l");
    expect(stdout.lastIndexOf("\u001b[?7h")).toBeGreaterThan(stdout.lastIndexOf("\u001b[?7l"));
  }
);

test.runIf(has("script"))("prints plain lines if standard output is a pipe (G30)", async () => {
  const project = await changedProject("true");
  const run = `${node(bin, "run")} | cat`;
  const { stdout } = await shell(
    project,
    `TERM=xterm script -qec ${shellWord(run)} /dev/null </dev/null`
  );
  expect(stdout).toContain("[START] check:src:it\r\n[PASS]  check:src:it (");
  expect(stdout).not.toContain("\u001b");
});
