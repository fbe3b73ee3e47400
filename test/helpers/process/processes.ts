/** Watching and steering real processes from a test. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export const execFileAsync = promisify(execFile);

/** Whether a process runs; one that is over and waits to be reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Known where there is a /proc; a container's first process may never reap. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z");
  } catch {
    return false;
  }
}

/** Process numbers that a hook has written to a file, one a line. */
export async function readPids(path: string): Promise<number[]> {
  return (await readFile(path, "utf8")).trim().split("\n").map(Number);
}

/** Where a hook waits, with `read -r _ < "$path"`, until the test lets it through. */
export interface Gate {
  readonly path: string;
  open(): Promise<void>;
}

export async function makeGate(folder: string, name = "gate"): Promise<Gate> {
  const path = join(folder, name);
  await execFileAsync("mkfifo", [path]);
  return { path, open: () => writeFile(path, "\n") };
}
