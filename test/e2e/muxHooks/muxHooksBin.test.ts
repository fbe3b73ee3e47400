import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine, muxHooksBin, repository } from "@test/helpers/freshBuild";
import { group, HookProject, node, shellWord } from "@test/helpers/hooks/hookProject";
import { writeTurns } from "@test/helpers/hooks/muxHooks";
import * as processes from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { screen } from "@test/helpers/process/terminal";

/** Runs a shell line in a project; `mux-hooks` in it is the built command. */
async function shell(project: HookProject, line: string): Promise<processes.ProgramEnd> {
  const command = `mux-hooks() { ${node(muxHooksBin)} "$@"; }; ${line}`;
  return await processes.runToEnd("bash", ["-c", command], {
    cwd: project.dir,
    env: envOf(project),
  });
}

function envOf(project: HookProject): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: project.home, MUX_HOOKS_TRUST: "always" };
}

test("prints its version, works through a symbolic link, as npm installs it, and sets the exit code", async () => {
  const manifest = readFileSync(join(repository, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const project = await HookProject.create();
  await project.configure({ hooks: { Stop: [group(["exit 2"])] } });
  const link = join(project.home, "mux-hooks");
  await symlink(muxHooksBin, link);
  const line = `mux-hooks -V; mux-hooks --version; ${shellWord(link)} list; MUX_HOOKS_TRUST= mux-hooks list; mux-hooks test Stop > out; echo $?; mux-hooks nonsense 2> out`;
  const { code, stdout, stderr } = await shell(project, line);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(stdout.startsWith(`${version}\n${version}\nHooks of ${project.dir}\n`)).toBe(true);
  // The words by which this shell finds the command.
  expect(stdout).toContain(`"${commandLine("mux-stop-hooks")} hooks trust --show"`);
  expect(stdout.endsWith("\n3\n")).toBe(true);
});

test("prints one line with an old Node", async () => {
  const project = await HookProject.create();
  const old = join(project.home, "old.cjs");
  await writeFile(
    old,
    'Object.defineProperty(process, "versions", { value: { node: "20.18.3" } });'
  );
  const ended = await shell(project, `${node("--require", old, muxHooksBin)} list`);
  expect(ended).toEqual({
    code: 1,
    stdout: "",
    stderr: "mux-stop-hooks needs Node 20.19 or newer; this is 20.18.3\n",
  });
  const build = await shell(
    project,
    node("--require", old, join(repository, "scripts", "build.mjs"))
  );
  expect(build).toEqual({
    code: 1,
    stdout: "",
    stderr: "mux-stop-hooks: Node 20.19 or newer is needed; this is 20.18.3\n",
  });
});

async function startRun(project: HookProject, hook: string): Promise<ChildProcess> {
  await project.configure({ hooks: { Stop: [group([hook])] } });
  const script = await writeTurns(project, "turns: [Done.]");
  return spawn(process.execPath, [muxHooksBin, "run", "--script", script, "Please."], {
    cwd: project.dir,
    env: envOf(project),
    stdio: "ignore",
  });
}

test("Ctrl-C ends the hooks with all their children, and then the command (H22)", async () => {
  const project = await HookProject.create();
  const started = await processes.makeGate(project.session, "started");
  const hook = `sleep 60 & echo $$ > pids; echo $! >> pids; echo > ${started.path}; wait`;
  const run = await startRun(project, hook);
  await readFile(started.path);
  const pids = await processes.readPids(project.path("pids"));
  expect(pids.map(processes.isAlive)).toEqual([true, true]);
  run.kill("SIGINT");
  expect(await once(run, "exit")).toEqual([130, null]);
  expect(pids.map(processes.isAlive)).toEqual([false, false]);
});

test.runIf(has("script"))(
  "shows live lines on a real terminal, and leaves a clean screen at the end",
  async () => {
    const project = await HookProject.create();
    const command = 'until grep -q running "$DRAWN"; do sleep 0.02; done';
    await project.configure({
      hooks: { Stop: [group([{ command, statusMessage: "Taking a nap" }])] },
    });
    const script = await writeTurns(project, "turns: [Done.]");
    const run = node(muxHooksBin, "run", "--script", script, "Please.");
    const drawn = join(await tempDir(), "drawn");
    const onTerminal = `script -qefc ${shellWord(run)} "$DRAWN" </dev/null`;
    const ended = await shell(project, `export TERM=xterm DRAWN=${drawn}; ${onTerminal}`);
    expect(ended.stdout).toMatch(/running +[\d.]+m?s {2}Taking a nap/);
    const lines = screen(ended.stdout).split("\n");
    expect(lines.filter((line) => line.includes("Taking a nap"))).toEqual([
      expect.stringMatching(/✔ project:Stop\[0\] +pass +[\d.]+m?s {2}Taking a nap/),
    ]);
    expect(lines).toContain("The turn ended: the hooks allowed the stop.");
  }
);
