import { spawn } from "node:child_process";
import { once } from "node:events";
import { execa } from "execa";
import { KILL_GRACE_MS } from "@/common/limits";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { livingInSession } from "@test/helpers/process/processGroups";
import { inTurns, ratioOf, summarize, type Benchmark, type Figure, type Sample } from "./lib";

const runtime = new LocalRuntime();
const stdin = `${JSON.stringify({ last_assistant_message: "x".repeat(2000) })}\n`;

const byExeca = (): Promise<unknown> =>
  execa("bash", ["-c", "true"], { cwd: "/", input: stdin, reject: false });
const byRuntime = (): Promise<unknown> =>
  runtime.exec({ command: { script: "true" }, cwd: "/", stdin, timeoutMs: 10_000 });

const times = (count: number, start: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, start));

async function oneCommand(): Promise<Figure> {
  const turns = await inTurns({ floor: byExeca, ours: byRuntime }, 300);
  const claim = "one command through LocalRuntime, against execa";
  return { id: "exec", claim, ...ratioOf(turns) };
}

async function manyCommands(): Promise<Figure> {
  const sides = { floor: () => times(32, byExeca), ours: () => times(32, byRuntime) };
  const turns = await inTurns(sides, 30);
  const claim = "32 commands at once, against 32 at once by execa";
  return { id: "exec-32", claim, ...ratioOf(turns) };
}

const LIMIT_MS = 200;

/** Ends a program by a signal after a delay at the minimal cost: no pipes, no process tree, no cleanup. */
async function endByHand(script: string, afterMs: number, signal: NodeJS.Signals): Promise<void> {
  const child = spawn("bash", ["-c", script], { cwd: "/", stdio: "ignore", detached: true });
  const timer = setTimeout(() => process.kill(-child.pid!, signal), afterMs);
  await once(child, "exit");
  clearTimeout(timer);
}

/** Runs a script into its time limit. Returns the id of its session, which must be empty by then. */
async function endByRuntime(script: string): Promise<number> {
  const command = { script: `echo $$; ${script}` };
  const { stdout } = await runtime.exec({ command, cwd: "/", timeoutMs: LIMIT_MS });
  return Number.parseInt(stdout.text);
}

async function timeLimits(): Promise<Figure[]> {
  const excess = async (
    script: string,
    afterMs = LIMIT_MS,
    signal: NodeJS.Signals = "SIGTERM"
  ): Promise<Sample> => {
    const leaders: number[] = [];
    const sides = {
      floor: () => endByHand(script, afterMs, signal),
      ours: async () => leaders.push(await endByRuntime(script)),
    };
    const turns = await inTurns(sides, 5);
    const alive = (await Promise.all(leaders.map(livingInSession))).flat();
    if (alive.length > 0) throw new Error(`still alive after ${script}: ${alive.join(", ")}`);
    return turns.each(({ ours, floor }) => ours - floor);
  };
  return [
    {
      id: "limit-obeys",
      claim: "settled after the limit, a program that obeys SIGTERM",
      unit: "ms",
      ...(await excess("exec sleep 30")),
    },
    {
      id: "limit-ignores",
      claim: "settled after limit and grace, a program that ignores SIGTERM",
      unit: "ms",
      ...(await excess("trap '' TERM; exec sleep 30", LIMIT_MS + KILL_GRACE_MS, "SIGKILL")),
    },
    {
      id: "limit-orphan",
      claim: "settled after the limit, an orphan with a session of its own holds the pipes",
      unit: "ms",
      ...(await excess("(setsid sleep 5 &); sleep 30")),
    },
  ];
}

interface Usage {
  readonly peakMiB: number;
  readonly cpuMs: number;
}

async function longOutput(): Promise<Figure[]> {
  const usageOf = async (command: string): Promise<Usage> =>
    (await runInFreshNode("peakMemory", [command])) as Usage;
  const cpuMs: number[] = [];
  const memoryMiB: number[] = [];
  for (let round = 0; round < 5; round++) {
    const silent = await usageOf("true");
    const loud = await usageOf("head -c 64M /dev/zero");
    cpuMs.push(loud.cpuMs - silent.cpuMs);
    memoryMiB.push(loud.peakMiB - silent.peakMiB);
  }
  const claim = "for a program that prints 64 MiB";
  return [
    { id: "output-cpu", claim: `CPU of the host ${claim}`, unit: "ms", ...summarize(cpuMs) },
    { id: "output-memory", claim: `memory ${claim}`, unit: "MiB", ...summarize(memoryMiB) },
  ];
}

export const benchmarks: Benchmark[] = [
  { ids: ["exec"], measure: oneCommand },
  { ids: ["exec-32"], measure: manyCommands },
  { ids: ["limit-obeys", "limit-ignores", "limit-orphan"], measure: timeLimits },
  { ids: ["output-cpu", "output-memory"], measure: longOutput },
];
