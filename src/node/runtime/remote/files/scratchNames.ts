/** Names of scratch folders on a remote machine. They show the next session whether their owner still runs (H34). */
import { randomHex } from "@/common/uniqueName";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { readProcess } from "@/node/runtime/process/processTable";
import { sendSignal } from "@/node/runtime/process/sendSignal";

const NAME = /^session-([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{16}$/;
const UNKNOWN_START = "0";

/**
 * Returns a name of this machine, its boot and the owning process: `session-<machine>-<boot>-<pid>-<start>-<random>`.
 */
export function newScratchName(pid = process.pid): string {
  const start = readProcess(pid)?.startTime ?? UNKNOWN_START;
  return ["session", machine(), boot(), pid, start, randomHex(8)].join("-");
}

/** Parses the reply of `make_scratch`: names beside the new folder, an empty line, its path. */
export function parseScratchAnswer(answer: string): { folder: string; names: readonly string[] } {
  const end = answer.startsWith("\n") ? 0 : answer.indexOf("\n\n") + 1;
  return { folder: answer.slice(end + 1), names: answer.slice(0, end).split("\n") };
}

/** Returns whether the owner was a process of this machine and has ended. Owners on other machines are not checked. */
export function isAbandoned(name: string): boolean {
  const [, owner, ownersBoot, pid, start] = NAME.exec(name) ?? [];
  if (owner !== machine()) return false;
  if (ownersBoot !== boot() || !sendSignal(Number(pid), 0)) return true;
  const found = readProcess(Number(pid));
  return found !== undefined && start !== UNKNOWN_START && found.startTime !== start;
}

function machine(): string {
  return shortHash(hostname());
}

/** Returns an ID of the current boot. Without /proc every boot has the same one. */
function boot(): string {
  try {
    return shortHash(readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  } catch {
    return shortHash("");
  }
}

function shortHash(text: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
