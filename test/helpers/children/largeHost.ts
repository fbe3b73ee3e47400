/**
 * A host with the given MiB of memory starts programs, one after the other, by itself or by a spawner. Prints the time
 * of each, and the longest time for which the event loop was blocked. Time spent waiting for a processor does not count
 * for the latter.
 */
import { readFileSync } from "node:fs";
import { MIB } from "@/common/limits";
import { runProgram } from "@/node/runtime/process/runProgram";
import { runBySpawner } from "@test/helpers/process/spawner";

const [mib, how, rounds] = process.argv.slice(2);
const run = how === "spawner" ? runBySpawner() : runProgram;
const held = Array.from({ length: Number(mib) }, () => Buffer.alloc(MIB, 1));

function now(): number {
  try {
    const [, waited] = readFileSync("/proc/self/schedstat", "latin1").split(" ");
    return performance.now() - Number(waited) / 1e6;
  } catch {
    return performance.now();
  }
}

async function start(): Promise<number> {
  const begin = performance.now();
  const env = { ...process.env };
  const program = { file: "bash", args: ["-c", "true"], cwd: "/", env, stdin: "{}\n" };
  await run(program, { timeoutMs: 10_000 });
  return performance.now() - begin;
}

// The first ones load all modules.
for (let i = 0; i < 5; i++) await start();

let longestMs = 0;
let last = now();
const watch = setInterval(() => {
  const next = now();
  longestMs = Math.max(longestMs, next - last - 1);
  last = next;
}, 1);
const times: number[] = [];
for (let i = 0; i < Number(rounds); i++) times.push(await start());
clearInterval(watch);
console.log(JSON.stringify({ times, longestMs, heldMiB: held.length }));
