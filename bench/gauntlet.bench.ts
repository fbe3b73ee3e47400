/** Full runs of the built gauntlet, and the cost of a check for its host. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { programs, stagedEdits, withChecks } from "./checks";
import { inTurns, ratioOf, summarize, type Benchmark, type Context, type Figure } from "./lib";
import { benchEnv } from "./repositories";

async function sideBySide(count: number, { node, rivals }: Context): Promise<Figure[]> {
  if (rivals === undefined) return [];
  const repository = await withChecks(count, "true");
  try {
    const sides = programs(repository, node, rivals);
    const turns = await inTurns(sides, 30, stagedEdits(repository));
    const checks = count === 1 ? "one trivial check" : `${count} trivial checks`;
    const common = { unit: "ratio", ms: turns.ms } as const;
    return [
      {
        id: `checks-${count}`,
        claim: `${checks}, against lint-staged`,
        ...common,
        ...turns.each((ms) => ms.ours / ms["lint-staged"]),
      },
      {
        id: `checks-${count}-net`,
        claim: `${checks}, less the start of node, against lefthook`,
        ...common,
        ...turns.each(({ ours, node, lefthook }) => (ours - node) / lefthook),
      },
    ];
  } finally {
    await repository.remove();
  }
}

async function sleepingChecks(): Promise<Figure> {
  const seconds = 2;
  const runtime = new FastStartRuntime({ env: benchEnv });
  const sleep = () => execa("sleep", [String(seconds)]);
  const repository = await withChecks(8, `sleep ${seconds}`);
  try {
    const run = () =>
      executeRun({
        runtime,
        projectDir: repository.dir,
        env: {},
        scope: { kind: "commit", commit: "main" },
        useCache: false,
      });
    const floor = () => Promise.all(Array.from({ length: 8 }, sleep));
    const turns = await inTurns({ floor, ours: run }, 5);
    const claim = `8 checks that sleep for ${seconds} s, against 8 such programs at once`;
    return { id: "checks-sleeping", claim, ...ratioOf(turns) };
  } finally {
    await repository.remove();
  }
}

async function longLog(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-log-"));
  const cpuMs: number[] = [];
  const memoryMiB: number[] = [];
  for (let round = 0; round < 15; round++) {
    const usageOf = async (command: string) => {
      const path = join(dir, `${command.length}.${round}.log`);
      return (await runInFreshNode("peakMemory", [command, path])) as Record<
        "peakMiB" | "cpuMs",
        number
      >;
    };
    const silent = await usageOf("true");
    const loud = await usageOf("head -c 64M /dev/zero");
    cpuMs.push(loud.cpuMs - silent.cpuMs);
    memoryMiB.push(loud.peakMiB - silent.peakMiB);
  }
  await rm(dir, { recursive: true });
  const claim = "for a check that prints 64 MiB";
  return [
    { id: "log-cpu", claim: `CPU of the host ${claim}`, unit: "ms", ...summarize(cpuMs) },
    { id: "log-memory", claim: `memory ${claim}`, unit: "MiB", ...summarize(memoryMiB) },
  ];
}

export const benchmarks: Benchmark[] = [
  ...[1, 8, 32].map((count) => ({
    ids: [`checks-${count}`, `checks-${count}-net`],
    isPerNode: true,
    needsRivals: true,
    measure: (context: Context) => sideBySide(count, context),
  })),
  { ids: ["checks-sleeping"], measure: sleepingChecks },
  { ids: ["log-cpu", "log-memory"], measure: longLog },
];
