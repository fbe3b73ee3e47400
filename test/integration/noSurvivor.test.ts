/** No program that a process of this project starts outlives it, however the process ends (H23a). */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntletBin, muxHooksBin, repository } from "@test/helpers/freshBuild";
import { childScript } from "@test/helpers/process/childScript";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";

/** Returns a script that ignores SIGTERM, with children in its group, in another group and in another session. */
const stubborn = (folder: string): string =>
  [
    "trap '' TERM",
    `cd '${folder}'`,
    "sleep 600 & echo $! >> pids",
    "timeout 600 sleep 600 & echo $! >> pids",
    "setsid sleep 600 & echo $! >> pids",
    "echo $$ >> pids; echo ready > gate",
    "while :; do sleep 600; done",
  ].join("\n");

interface Victim {
  readonly child: ChildProcess;
  readonly folder: string;
}

function start(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: "ignore",
    detached: true,
  });
}

/** Waits until the hook runs, kills its parent, and expects that none of its processes is alive in the end. */
async function killAndLook({ child, folder }: Victim, signal: NodeJS.Signals): Promise<void> {
  await readFile(join(folder, "gate"));
  const pids = await readPids(join(folder, "pids"));
  expect(pids.filter(isAlive)).toEqual(pids);
  // A host that was interrupted right after the start has not reported the program to the watcher yet.
  await expectSoon(() => isSleeping(child.pid!)).toBe(true);
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
  await expectSoon(() => pids.filter(isAlive)).toEqual([]);
}

/** Returns whether the main thread of the process waits for an event, or true if there is no /proc. */
async function isSleeping(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") S");
  return stat.slice(stat.lastIndexOf(")")).startsWith(") S");
}

async function hookProject(): Promise<HookProject> {
  const project = await HookProject.create();
  await makeGate(project.session);
  const script = await project.write("hook.sh", stubborn(project.session), 0o755);
  const handler = { type: "command", command: `bash ${script}`, timeout: 600 };
  await project.write(
    ".mux/settings.json",
    JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } })
  );
  return project;
}

const muxEnv = (project: HookProject): NodeJS.ProcessEnv => ({
  HOME: project.home,
  MUX_HOOKS_TRUST: "always",
});

test.each(["SIGKILL", "SIGQUIT"] as const)(
  "a hook of mux-stop-hooks hooks test ends with it after %s (H23a)",
  async (signal) => {
    const project = await hookProject();
    const child = start([muxHooksBin, "test", "Stop"], project.dir, muxEnv(project));
    await killAndLook({ child, folder: project.session }, signal);
  }
);

test("a check of mux-stop-hooks run ends with it after SIGKILL (H23a)", async () => {
  const folder = (await HookProject.create()).session;
  await makeGate(folder);
  await writeFile(join(folder, "check.sh"), stubborn(folder));
  const project = await GauntletProject.create("entry_points:\n- path: .\n  checks: [slow]\n", {
    slow: `command: bash ${folder}/check.sh\n`,
  });
  await project.write("src/a.txt", "changed\n");
  const env = { ...PROJECT_ENV, MUX_HOOKS_TRUST: "always" };
  const child = start([agentGauntletBin, "run"], project.dir, env);
  await killAndLook({ child, folder }, "SIGKILL");
  // The lock is removed or recognized as stale, so the next run gets it.
  await project.write(".gauntlet/checks/slow.yml", "command: 'true'\n");
  expect((await project.run()).status).toBe("passed");
});

test("a hook of a host that embeds the engine ends with it after SIGKILL (H23a)", async () => {
  const folder = (await HookProject.create()).session;
  await makeGate(folder);
  const child = start([await childScript("killedHost"), stubborn(folder)], repository);
  await killAndLook({ child, folder }, "SIGKILL");
});
