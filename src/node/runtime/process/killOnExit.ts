/**
 * Ends the process groups of running programs when this process ends for any reason, SIGKILL included (H23a): an exit
 * listener kills them, or, if a signal ends this process at once, a small shell that it started.
 */
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { tryOr } from "@/common/errors";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import script from "@/node/runtime/process/groupWatcher.sh";

const leaders = new Set<number>();

/** Whether the host has its exit listener: one for its life, not one per run. */
let isWatching = false;

/**
 * Starts the watcher. Never throws. Must be called before a program is started, so that every group is watched.
 *
 * @param delayMs how long a program may run without it; the returned timer must be cleared when the program ends
 */
export function prepareToHold(delayMs = 0): NodeJS.Timeout | undefined {
  if (delayMs > 0) return setTimeout(prepareToHold, delayMs).unref();
  // Node throws if no memory is free. Programs then run without the watcher.
  tryOr(startGroupWatcher, undefined);
  return undefined;
}

/**
 * Kills a process group if the host ends before its program does. If a signal ends the host at once, the watcher ends
 * the group.
 */
export function holdGroup(leader: number): void {
  leaders.add(leader);
  pipe?.write(`+ ${leader}\n`);
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const held of leaders) new ProcessTree(held).signal("SIGKILL");
  });
}

/** Stops watching the group of a program that has ended. Its background processes may continue. */
export function releaseGroup(leader: number): void {
  leaders.delete(leader);
  pipe?.write(`- ${leader}\n`);
}

let pipe: Writable | undefined;

/**
 * Starts a small shell that ends the running process groups when this process is killed. It reads the number of each
 * group from a pipe, which closes when this process ends for any reason. Does nothing if the shell runs. After the loss
 * of an earlier one it gets the groups that already run.
 */
function startGroupWatcher(): void {
  if (pipe !== undefined) return;
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: "/",
    env: { PATH: process.env.PATH },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const onLost = (): void => {
    if (pipe === child.stdin) pipe = undefined;
  };
  child.on("error", onLost);
  child.on("exit", onLost);
  if (child.pid === undefined) return;
  pipe = child.stdin;
  pipe.on("error", onLost);
  if (pipe instanceof Socket) pipe.unref();
  child.unref();
  for (const leader of leaders) pipe.write(`+ ${leader}\n`);
}
