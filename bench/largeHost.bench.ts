import { ensureBuilt } from "@test/helpers/built";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { median, type Figure } from "./lib";

interface Starts {
  readonly times: readonly number[];
  readonly longestMs: number;
}

/** Starts fifty programs from a host that uses `mib` MiB of memory. */
async function starts(mib: number, how: "itself" | "spawner"): Promise<Starts> {
  return (await runInFreshNode("largeHost", [String(mib), how, "50"])) as Starts;
}

export async function largeHost(): Promise<Figure[]> {
  await ensureBuilt();
  const small: number[] = [];
  const large: number[] = [];
  const blocks: number[] = [];
  for (let round = 0; round < 5; round++) {
    small.push(...(await starts(0, "itself")).times);
    const { times, longestMs } = await starts(1024, "spawner");
    large.push(...times);
    blocks.push(longestMs);
  }
  return [
    {
      id: "large-host",
      claim: "one command of a host of 1 GiB by its spawner, against a small host's own",
      value: median(large) / median(small),
      unit: "ratio",
    },
    {
      id: "large-host-block",
      claim: "longest block of that host's event loop in 50 commands",
      value: median(blocks),
      unit: "ms",
    },
  ];
}
