/** Observes and controls real processes. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export const execFileAsync = promisify(execFile);

export interface ProgramEnd {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, whatever its exit code. */
export async function runToEnd(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv }
): Promise<ProgramEnd> {
  return await new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

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

/** Kills all processes of a group. */
export function killGroup(pid: number | undefined): void {
  if (pid !== undefined) kill(-pid);
}

/** Kills a process, or a group if negative. Ignores one that has ended, and a number that means other processes. */
export function kill(pid: number): void {
  try {
    if (Math.abs(pid) > 1) process.kill(pid, "SIGKILL");
  } catch {
    // None is left.
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
