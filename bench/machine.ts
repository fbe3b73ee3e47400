/** The state and the description of the machine. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg, platform, release } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** The average number of running processes in the last minute, above which other programs disturb the figures. */
const MAX_LOAD = Number(process.env.BENCH_MAX_LOAD ?? 0.5);
const MAX_WAIT_MS = 120_000;

function load(): number {
  return loadavg()[0] ?? NaN;
}

/** Waits until the machine is idle, for two minutes at most, and prints its load. Returns the load. */
export async function waitUntilIdle(): Promise<number> {
  const end = performance.now() + MAX_WAIT_MS;
  if (load() >= MAX_LOAD)
    console.log(`load  ${load().toFixed(2)}, waiting until it is ${MAX_LOAD}`);
  while (load() >= MAX_LOAD && performance.now() < end) await delay(2_000);
  const now = load();
  const warning = now < MAX_LOAD ? "" : ", warning: other programs run, so figures may be wrong";
  console.log(`load  ${now.toFixed(2)}${warning}`);
  return now;
}

export interface Machine {
  readonly cores: number;
  /** The name of the operating system, and its version. */
  readonly system: string;
  readonly git: string;
}

export function describeMachine(): Machine {
  const git = execFileSync("git", ["--version"], { encoding: "utf8" });
  return {
    cores: availableParallelism(),
    system: systemName(),
    git: git.replace("git version ", "").trim(),
  };
}

function systemName(): string {
  if (platform() !== "linux") return `${platform()} ${release()}`;
  const text = readFileSync("/etc/os-release", "utf8");
  const value = (key: string): string =>
    new RegExp(`^${key}="?([^"\\n]*)`, "m").exec(text)?.[1] ?? "";
  return `${value("NAME").replace(" GNU/Linux", "")} ${value("VERSION_ID")}`;
}
