/**
 * Ends the running process groups when this process is killed, SIGKILL included (H23a). A small shell reads the number
 * of each group from a pipe. The pipe closes when this process ends for any reason.
 */
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import script from "@/node/runtime/process/groupWatcher.sh";

let pipe: Writable | undefined;

/**
 * Starts the watcher, once per process. Programs also run without it.
 *
 * @param groups the groups that already run, if an earlier watcher was lost
 */
export function startGroupWatcher(groups: Iterable<number>): void {
  if (pipe !== undefined) return;
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: "/",
    env: { PATH: process.env.PATH },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const forget = (): void => {
    pipe = undefined;
  };
  child.on("error", forget);
  child.on("exit", forget);
  if (child.pid === undefined) return;
  pipe = child.stdin;
  pipe.on("error", forget);
  if (pipe instanceof Socket) pipe.unref();
  child.unref();
  for (const group of groups) watchGroup(group);
}

export function watchGroup(leader: number): void {
  pipe?.write(`+ ${leader}\n`);
}

export function unwatchGroup(leader: number): void {
  pipe?.write(`- ${leader}\n`);
}
