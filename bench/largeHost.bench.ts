import { ensureBuilt } from "@test/helpers/built";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { median, summarize, type Benchmark, type Figure } from "./lib";

interface Starts {
  readonly times: readonly number[];
  readonly longestMs: number;
}

/** Starts fifty programs from a host that uses `mib` MiB of memory. */
async function starts(mib: number, how: "itself" | "spawner"): Promise<Starts> {
  return (await runInFreshNode("largeHost", [String(mib), how, "50"])) as Starts;
}

async function largeHost(): Promise<Figure[]> {
  await ensureBuilt();
  const ratios: number[] = [];
  const blocks: number[] = [];
  for (let round = 0; round < 5; round++) {
    const small = await starts(0, "itself");
    const { times, longestMs } = await starts(1024, "spawner");
    ratios.push(median(times) / median(small.times));
    blocks.push(longestMs);
  }
  return [
    {
      id: "large-host",
      claim: "one command of a host of 1 GiB by its spawner, against a small host's own",
      unit: "ratio",
      ...summarize(ratios),
    },
    {
      id: "large-host-block",
      claim: "longest block of that host's event loop in 50 commands",
      unit: "ms",
      ...summarize(blocks),
    },
  ];
}

export const benchmarks: Benchmark[] = [
  { ids: ["large-host", "large-host-block"], measure: largeHost },
];
