/** Full runs of the built gauntlet, and the cost of a check for its host. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { gauntletBin } from "./commands";
import { inTurns, interleaved, median, type Figure } from "./lib";
import { benchEnv, Repository } from "./repositories";
import { fetchRivals, type Rivals } from "./rivals";

/** Returns a configuration for each of the three programs: `count` parallel checks that run `command`. */
function configured(count: number, command: string): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `c${i}`);
  const checks = names.map((name) => `      - ${name}: { command: "${command}", parallel: true }`);
  const commands = names.map((name) => `    ${name}: { run: "${command}" }`);
  // lint-staged runs the tasks of one glob in order, so parallel tasks need one glob each.
  const globs = names.map((_, i) => [`*.txt${"*".repeat(i)}`, command]);
  return {
    ".gitignore": "gauntlet_logs/\n",
    ".gauntlet/config.yml": `base_branch: main\nmax_parallel: 8\nentry_points:\n  - path: "."\n    checks:\n${checks.join("\n")}\n`,
    "lefthook.yml": `pre-commit:\n  parallel: true\n  commands:\n${commands.join("\n")}\n`,
    ".lintstagedrc.json": JSON.stringify(Object.fromEntries(globs)),
    "a.txt": "a\n",
  };
}

async function withChecks<T>(
  count: number,
  command: string,
  use: (repository: Repository) => Promise<T>
): Promise<T> {
  const repository = await Repository.create(10, configured(count, command));
  try {
    return await use(repository);
  } finally {
    await repository.remove();
  }
}

async function sideBySide(rivals: Rivals, count: number): Promise<Figure[]> {
  const wall = await withChecks(count, "true", async (repository) => {
    const run = (file: string, ...args: string[]) =>
      execa(file, args, { cwd: repository.dir, env: benchEnv, extendEnv: false });
    let edits = 0;
    const stage = async () => {
      await repository.write("a.txt", `${edits++}\n`);
      await repository.git("add", "a.txt");
    };
    const sides = {
      node: () => run(process.execPath, "-e", "0"),
      lintStaged: () => run(process.execPath, rivals.lintStaged, "--quiet"),
      lefthook: () => run(rivals.lefthook, "run", "pre-commit"),
      ours: () => run(process.execPath, gauntletBin, "run"),
    };
    return await inTurns(sides, 11, stage);
  });
  const checks = count === 1 ? "one trivial check" : `${count} trivial checks`;
  const told = Object.entries(wall).map(([name, ms]) => `${name} ${ms.toFixed(0)}`);
  const figure = (id: string, claim: string, value: number): Figure => {
    return { id, claim: `${checks}, ${claim} (${told.join(", ")} ms)`, value, unit: "ratio" };
  };
  return [
    figure(`checks-${count}`, "against lint-staged", wall.ours / wall.lintStaged),
    figure(
      `checks-${count}-net`,
      "less the start of node, against lefthook",
      (wall.ours - wall.node) / wall.lefthook
    ),
  ];
}

export async function trivialChecks(): Promise<Figure[]> {
  const rivals = await fetchRivals();
  if (rivals === undefined) return [];
  try {
    const figures: Figure[] = [];
    for (const count of [1, 8, 32]) figures.push(...(await sideBySide(rivals, count)));
    return figures;
  } finally {
    await rivals.remove();
  }
}

export async function sleepingChecks(): Promise<Figure> {
  const seconds = 2;
  const runtime = new LocalRuntime({ env: benchEnv });
  const sleep = () => execa("sleep", [String(seconds)]);
  const { floor, ours } = await withChecks(8, `sleep ${seconds}`, async ({ dir: projectDir }) => {
    const run = () =>
      executeRun({
        runtime,
        projectDir,
        env: {},
        scope: { kind: "commit", commit: "main" },
        useCache: false,
      });
    return await interleaved({
      floor: () => Promise.all(Array.from({ length: 8 }, sleep)),
      ours: run,
      rounds: 3,
    });
  });
  const claim = `8 checks that sleep for ${seconds} s, against 8 such programs at once`;
  return { id: "checks-sleeping", claim, value: ours / floor, unit: "ratio" };
}

export async function longLog(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-log-"));
  const cpuMs: number[] = [];
  const memoryMiB: number[] = [];
  for (let round = 0; round < 7; round++) {
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
    { id: "log-cpu", claim: `CPU of the host ${claim}`, value: median(cpuMs), unit: "ms" },
    { id: "log-memory", claim: `memory ${claim}`, value: median(memoryMiB), unit: "MiB" },
  ];
}
