import { spawn } from "node:child_process";
import { once } from "node:events";
import { execa } from "execa";
import { KILL_GRACE_MS } from "@/common/limits";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { livingInSession } from "@test/helpers/process/processGroups";
import { interleaved, median, type Figure } from "./lib";

const runtime = new LocalRuntime();
const stdin = `${JSON.stringify({ last_assistant_message: "x".repeat(2000) })}\n`;

const byExeca = (): Promise<unknown> =>
  execa("bash", ["-c", "true"], { cwd: "/", input: stdin, reject: false });
const byRuntime = (): Promise<unknown> =>
  runtime.exec({ command: { script: "true" }, cwd: "/", stdin, timeoutMs: 10_000 });

const times = (count: number, start: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, start));

export async function oneCommand(): Promise<Figure> {
  const { floor, ours } = await interleaved({ floor: byExeca, ours: byRuntime, rounds: 300 });
  return {
    id: "exec",
    claim: "one command through LocalRuntime, against execa",
    value: ours / floor,
    unit: "ratio",
  };
}

export async function manyCommands(): Promise<Figure> {
  const { floor, ours } = await interleaved({
    floor: () => times(32, byExeca),
    ours: () => times(32, byRuntime),
    rounds: 30,
  });
  return {
    id: "exec-32",
    claim: "32 commands at once, against 32 at once by execa",
    value: ours / floor,
    unit: "ratio",
  };
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

export async function timeLimits(): Promise<Figure[]> {
  const excess = async (
    script: string,
    afterMs = LIMIT_MS,
    signal: NodeJS.Signals = "SIGTERM"
  ): Promise<number> => {
    const leaders: number[] = [];
    const { floor, ours } = await interleaved({
      floor: () => endByHand(script, afterMs, signal),
      ours: async () => leaders.push(await endByRuntime(script)),
      rounds: 5,
    });
    const alive = (await Promise.all(leaders.map(livingInSession))).flat();
    if (alive.length > 0) throw new Error(`still alive after ${script}: ${alive.join(", ")}`);
    return ours - floor;
  };
  return [
    {
      id: "limit-obeys",
      claim: "settled after the limit, a program that obeys SIGTERM",
      value: await excess("exec sleep 30"),
      unit: "ms",
    },
    {
      id: "limit-ignores",
      claim: "settled after limit and grace, a program that ignores SIGTERM",
      value: await excess("trap '' TERM; exec sleep 30", LIMIT_MS + KILL_GRACE_MS, "SIGKILL"),
      unit: "ms",
    },
    {
      id: "limit-orphan",
      claim: "settled after the limit, an orphan with a session of its own holds the pipes",
      value: await excess("(setsid sleep 5 &); sleep 30"),
      unit: "ms",
    },
  ];
}

interface Usage {
  readonly peakMiB: number;
  readonly cpuMs: number;
}

export async function longOutput(): Promise<Figure[]> {
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
    { id: "output-cpu", claim: `CPU of the host ${claim}`, value: median(cpuMs), unit: "ms" },
    { id: "output-memory", claim: `memory ${claim}`, value: median(memoryMiB), unit: "MiB" },
  ];
}
