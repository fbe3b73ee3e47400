/**
 * Contends for the lock of a log folder, and sends its parent the result.
 *
 *     lockContender.ts FOLDER hold                 one attempt, without a release
 *     lockContender.ts FOLDER die-often COUNT      acquires it COUNT times, and leaves a stale lock behind each time
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { RunLock } from "@/node/services/gauntlet/state/lock/RunLock";

const [folder = "", mode = "", count = "0"] = process.argv.slice(2);
const logDir = join(folder, "logs");
const host = new LocalFiles();
const files = Object.assign(new LocalFiles(), { host, isRemote: true });
const identity = await currentProcess(host);
const acquire = () => RunLock.acquire(files, logDir, identity, new Date());

async function hold(): Promise<unknown> {
  const acquired = await acquire();
  return acquired.isOk() ? "acquired" : acquired.error;
}

async function dieOften(): Promise<unknown> {
  const overlaps: string[] = [];
  for (let taken = 0; taken < Number(count);) {
    const acquired = await acquire();
    if (acquired.isErr()) {
      if (acquired.error.kind === "failed") overlaps.push(JSON.stringify(acquired.error));
      continue;
    }
    taken++;
    try {
      writeFileSync(join(folder, "owner"), "", { flag: "wx" });
    } catch (thrown) {
      overlaps.push(String(thrown));
    }
    await files.stat([logDir]);
    rmSync(join(folder, "owner"), { force: true });
    leaveForDead(acquired.value.path);
  }
  return { overlaps };
}

/** Replaces the lock at once by one of a process that no longer exists. */
function leaveForDead(path: string): void {
  const lock = JSON.parse(readFileSync(path, "utf8")) as object;
  const dead = join(folder, `dead-${process.pid}`);
  writeFileSync(dead, JSON.stringify({ ...lock, start_time: "1" }));
  renameSync(dead, path);
}

process.on("disconnect", () => process.exit());
process.send?.(await (mode === "hold" ? hold() : dieOften()));
