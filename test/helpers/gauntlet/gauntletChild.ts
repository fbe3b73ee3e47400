/** Whole runs as processes of their own, which can be killed or started in one instant. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { childScript } from "@test/helpers/process/childScript";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

export interface RunEnded {
  readonly result: RunResult;
  /** How many operations of it changed something. */
  readonly operations: number;
}

const running = new Set<ChildProcess>();

afterEach(async () => {
  await Promise.all([...running].map(kill));
});

/** About to run. */
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

/** What came of it; nothing where it was killed. */
export async function runEnded(child: ChildProcess): Promise<RunEnded | undefined> {
  let ended: RunEnded | undefined;
  child.once("message", (message) => {
    ended = message as RunEnded;
  });
  // Unlike the exit, it comes behind every message.
  await once(child, "close");
  return ended;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
