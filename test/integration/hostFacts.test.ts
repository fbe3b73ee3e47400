/** The cost of programs for the host that starts them, and their end when the host ends. */
import { expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { isAlive } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import { tempDir } from "@test/helpers/tempDir";

const onLinux = process.platform === "linux";

test("case 119: 200 MB of output cost at most 16 MiB of memory (H20)", async () => {
  interface Peak {
    bytes: number;
    keptChars: number;
    peakMiB: number;
  }
  const peakOf = async (script: string): Promise<Peak> =>
    (await runInFreshNode("peakMemory", [script])) as Peak;
  const silent = await peakOf("true");
  // Garbage collection may run late and raise a peak, so only the lowest of three measurements is compared.
  let extraMiB = Infinity;
  for (let round = 0; round < 3 && extraMiB >= 16; round++) {
    const loud = await peakOf("yes | head -c 200M");
    expect(loud.bytes).toBe(200 * MIB);
    expect(loud.keptChars).toBeLessThan(MIB + 100);
    extraMiB = Math.min(extraMiB, loud.peakMiB - silent.peakMiB);
  }
  expect(extraMiB).toBeLessThan(16);
});

test.runIf(onLinux)(
  "case 121: 20 stops in a row, some of them interrupted, leave no resources behind in the host",
  async () => {
    const dir = await tempDir();
    const held = (await runInFreshNode("manyStops", [dir])) as Record<string, unknown>;
    expect(held.counts).toEqual({ continue: 18, end: 2 });
    expect(held.after).toEqual(held.before);
    expect(held.warnings).toEqual([]);
  }
);

test("programs are killed when the host ends, even if they ignore SIGTERM", async () => {
  const dir = await tempDir();
  const script = "trap '' TERM; sleep 600 & echo $$ >pids; echo $! >>pids; echo ready >>pids; wait";
  const pids = (await runInFreshNode("endingHost", [dir, script])) as number[];
  expect(pids).toHaveLength(2);
  await expectSoon(() => pids.filter(isAlive)).toEqual([]);
});
