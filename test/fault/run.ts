/** Runs `make fault`: repeats every fault for `FAULT_SECONDS` (600), from `FAULT_SEED` on, and prints the results. */
import { FAULTS } from "@test/fault/faults";
import { strike } from "@test/fault/site";

const seconds = Number(process.env.FAULT_SECONDS ?? 600);
const firstSeed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const STOPS_PER_SESSION = 50;

interface Count {
  passed: number;
  skipped: number;
  failed: number;
  longestMs: number;
}

const counts = new Map<string, Count>(
  FAULTS.map(({ name }) => [name, { passed: 0, skipped: 0, failed: 0, longestMs: 0 }])
);
const end = performance.now() + seconds * 1000;
let seed = firstSeed;
do {
  for (const fault of FAULTS) {
    const count = counts.get(fault.name);
    if (count === undefined || (seed !== firstSeed && performance.now() > end)) continue;
    const begin = performance.now();
    try {
      count[await strike(fault, seed, { stopsPerSession: STOPS_PER_SESSION })]++;
    } catch (thrown) {
      count.failed++;
      console.log(`${fault.name}, seed ${seed}: ${String(thrown)}`);
    }
    count.longestMs = Math.max(count.longestMs, performance.now() - begin);
  }
  seed++;
} while (performance.now() < end);

console.log(`seeds ${firstSeed} to ${seed - 1}`);
console.log(`${"fault".padEnd(40)}passed skipped failed longest`);
for (const [name, { passed, skipped, failed, longestMs }] of counts) {
  const cells = [passed, skipped, failed].map((n) => String(n).padStart(7)).join("");
  console.log(`${name.padEnd(39)}${cells} ${(longestMs / 1000).toFixed(1).padStart(6)} s`);
}
process.exitCode = [...counts.values()].some(({ failed }) => failed > 0) ? 1 : 0;
