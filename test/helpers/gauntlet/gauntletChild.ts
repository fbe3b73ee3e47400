/** Whole runs as separate processes, which can be killed or started at the same time. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { childScript } from "@test/helpers/process/childScript";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

export interface RunEnded {
  readonly result: RunResult;
  /** The number of its operations that changed something. */
  readonly operations: number;
}

const running = new Set<ChildProcess>();

afterEach(async () => {
  await Promise.all([...running].map(kill));
});

/** Starts a process, and resolves when it is ready to run. */
export async function startRun(projectDir: string, ...args: string[]): Promise<ChildProcess> {
  const child = fork(await childScript("gauntletRun"), [projectDir, ...args], {
    env: PROJECT_ENV,
    execArgv: [],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const [message] = (await once(child, "message")) as unknown[];
  if (message !== "ready") throw new Error(`not ready: ${String(message)}`);
  return child;
}

/** Resolves with the result of a run, or undefined if it was killed. */
export async function runEnded(child: ChildProcess): Promise<RunEnded | undefined> {
  let ended: RunEnded | undefined;
  child.once("message", (message) => {
    ended = message as RunEnded;
  });
  // Unlike `exit`, the event `close` comes after every message.
  await once(child, "close");
  return ended;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
