/** The built commands, for tests that need a separate process. */
import { execFile } from "node:child_process";
import { mkdir, readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { errorCode } from "@/common/errors";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const muxHooksBin = join(repository, "bin", "mux-hooks.cjs");
export const agentGauntletBin = join(repository, "bin", "agent-gauntlet.cjs");

/** Builds `dist` if the sources are newer. If test files run in parallel, one of them builds and the others wait. */
export async function ensureBuilt(): Promise<void> {
  const lock = join(repository, ".cache", "build.lock");
  await mkdir(join(repository, ".cache"), { recursive: true });
  while (!(await isFresh())) {
    try {
      await mkdir(lock);
    } catch (thrown) {
      if (errorCode(thrown) !== "EEXIST") throw thrown;
      await removeAbandoned(lock);
      await delay(100);
      continue;
    }
    try {
      const tsdown = join(repository, "node_modules", ".bin", "tsdown");
      await promisify(execFile)(tsdown, ["--logLevel", "error"], { cwd: repository });
    } finally {
      await rmdir(lock);
    }
  }
}

/** Removes a lock whose process was killed while it built. */
async function removeAbandoned(lock: string): Promise<void> {
  const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > MAX_BUILD_MS) await rmdir(lock).catch(() => undefined);
}

const MAX_BUILD_MS = 90_000;

async function isFresh(): Promise<boolean> {
  const built = await Promise.all(BUNDLES.map(timeOf));
  const sources = await readdir(join(repository, "src"), { recursive: true });
  const times = await Promise.all(
    sources.map(async (name) => (await stat(join(repository, "src", name))).mtimeMs)
  );
  return Math.max(...times) <= Math.min(...built);
}

/** One file of each build, since the builds end one after the other. */
const BUNDLES = [
  "index.js",
  "cli/muxHooks.cjs",
  "cli/agentGauntlet.cjs",
  "cli/stopHookProcess.cjs",
  "cli/turnStartProcess.cjs",
  "cli/plainRun.cjs",
  "opencode.js",
  "host/register.cjs",
  "host/spawnerThread.cjs",
  "host/spawnerProcess.cjs",
];

async function timeOf(bundle: string): Promise<number> {
  const built = await stat(join(repository, "dist", bundle)).catch(() => undefined);
  return built?.mtimeMs ?? 0;
}
