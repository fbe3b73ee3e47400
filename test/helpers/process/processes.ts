/** Observes and controls real processes. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export const execFileAsync = promisify(execFile);

/** Returns whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Returns whether a process is a zombie, if there is a /proc. The first process of a container may never reap. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z");
  } catch {
    return false;
  }
}

/** Returns the process IDs in a file that a hook has written, one per line. */
export async function readPids(path: string): Promise<number[]> {
  return (await readFile(path, "utf8")).trim().split("\n").map(Number);
}

/** A FIFO at which a hook waits, with `read -r _ < "$path"`, until the test opens it. */
export interface Gate {
  readonly path: string;
  open(): Promise<void>;
}

export async function makeGate(folder: string, name = "gate"): Promise<Gate> {
  const path = join(folder, name);
  await execFileAsync("mkfifo", [path]);
  return { path, open: () => writeFile(path, "\n") };
}
