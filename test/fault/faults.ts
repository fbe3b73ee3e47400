/** Faults that can occur during a stop, each with the checks that must hold afterwards (H23a). */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@test/helpers/built";
import type { Site } from "@test/fault/site";
import { has } from "@scripts/programs.mjs";

export interface Fault {
  readonly name: string;
  /** The test that has this fault once, so that only `make fault` repeats it. */
  readonly provedBy?: string;
  /** Throws if a check fails, and {@link NotPossible} if this machine does not allow the fault. No process may be left. */
  readonly strike: (site: Site, options: FaultOptions) => Promise<void>;
}

export class NotPossible extends Error {}

export interface FaultOptions {
  /** The number of stops in each of the 20 sessions. */
  readonly stopsPerSession: number;
}

const LONG = "sleep 600 & sleep 600";
const SESSIONS = 20;

function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

/** Mounts a small file system. Returns a function that removes it, or undefined if mounting is not possible. */
function mountSmall(path: string): (() => void) | undefined {
  if (!has("mount") || !has("umount")) return undefined;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return () => execFileSync("umount", ["-l", path]);
}

async function runGauntlet(site: Site): Promise<number | null> {
  const [code] = (await once(site.agentGauntlet("run"), "exit")) as [number | null];
  return code;
}

export const FAULTS: readonly Fault[] = [
  {
    name: "kill -9 of mux-hooks",
    provedBy: "integration/noSurvivor",
    strike: async (site) => {
      // A program that leaves its group while its hook runs. A daemon that outlives its hook is not ended.
      const escape = "setsid sleep 600 & exec sleep 600";
      site.hooks(LONG, escape, { command: "exec sleep 600", async: true });
      await site.killAtRandom(site.muxHooks("test", "Stop"), 1_500);
    },
  },
  {
    name: "kill -9 of a hook",
    strike: async (site) => {
      site.hooks("exec sleep 600", "echo go on >&2; exit 2");
      const [result] = await Promise.all([site.stop(60_000), site.killOne("sleep 600", 30_000)]);
      expectEqual("the other hook's block", result.shouldStop, false);
    },
  },
  {
    name: "kill -9 of agent-gauntlet",
    provedBy: "integration/noSurvivor",
    strike: async (site) => {
      site.gauntlet(LONG);
      await site.killAtRandom(site.agentGauntlet("run"), 2_000);
      await site.expectNoProcess();
      await site.expectWholeLogs();
    },
  },
  ...["check", "reviewer"].map((victim): Fault => ({
    name: `kill -9 of a ${victim}`,
    strike: async (site) => {
      const cli =
        "cli:\n  default_preference: [mine]\n  commands: {mine: 'cat >/dev/null; exec sleep 600'}\n";
      const review = "  reviews:\n  - r: {builtin: security}\n";
      if (victim === "check") site.gauntlet("exec sleep 600");
      else site.gauntlet("true", cli, review);
      const [code] = await Promise.all([runGauntlet(site), site.killOne("sleep 600", 30_000)]);
      expectEqual("exit code of the run", code, 1);
      await site.expectNoProcess();
      await site.expectWholeLogs();
    },
  })),
  {
    name: "a full disk",
    strike: async (site) => {
      const unmount = mountSmall(site.dir);
      if (unmount === undefined) throw new NotPossible();
      try {
        site.gauntlet("head -c 8000000 /dev/zero; exit 3");
        expectEqual("exit code of the run", await runGauntlet(site), 1);
        await site.expectNoProcess();
        rmSync(join(site.dir, "gauntlet_logs"), { recursive: true, force: true });
        await site.expectWholeLogs();
      } finally {
        unmount();
      }
    },
  },
  {
    name: "a log folder that cannot be written",
    strike: async (site) => {
      site.gauntlet("true");
      symlinkSync("/proc/self/nowhere", join(site.dir, "gauntlet_logs"));
      expectEqual("exit code of the run", await runGauntlet(site), 1);
    },
  },
  {
    name: "a removed working directory",
    strike: async (site) => {
      site.hooks(`rm -rf '${site.dir}'; echo go on >&2; exit 2`, "sleep 0.1");
      expectEqual("the block counts", (await site.stop(60_000)).shouldStop, false);
      expectEqual(
        "without a folder the agent may stop",
        (await site.stop(60_000)).shouldStop,
        true
      );
    },
  },
  {
    name: "no processes (EAGAIN)",
    strike: async (site) => {
      const script = `import("${repository}/dist/index.js").then(async ({ LocalRuntime }) => {
        const runtime = new LocalRuntime();
        const run = () => runtime.exec({ command: { script: "sleep 3" }, cwd: "/" });
        const ends = await Promise.all(Array.from({ length: 60 }, run));
        console.log(JSON.stringify(ends.map(({ end }) => end.code ?? end.kind)));
      })`;
      const limited = ["--reuid=65534", "--clear-groups", "prlimit", "--nproc=40"];
      let printed: string;
      try {
        execFileSync(
          "setpriv",
          [...limited, process.execPath, "-e", `import("${repository}/dist/index.js")`],
          { stdio: "ignore" }
        );
        printed = execFileSync("setpriv", [...limited, process.execPath, "-e", script], {
          env: site.env,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        });
      } catch (thrown) {
        if ((thrown as { stdout?: unknown }).stdout === null) throw new NotPossible();
        throw thrown;
      }
      const codes = JSON.parse(printed) as unknown[];
      if (!codes.includes("EAGAIN")) throw new Error(`no start failed: ${printed}`);
      await site.expectNoProcess();
    },
  },
  {
    name: "clock jumps",
    strike: async (site) => {
      site.hooks("echo one >&2; exit 2");
      expectEqual("the first stop", (await site.stop(60_000)).continueReason, "one");
      for (const [text, seconds] of [
        ["two", 4_000_000_000],
        ["three", 1],
      ] as const) {
        site.hooks(`echo ${text} >&2; exit 2`);
        utimesSync(join(site.dir, ".mux/settings.json"), seconds, seconds);
        expectEqual("a stop", (await site.stop(60_000)).continueReason, text);
      }
      site.gauntlet("exit 3");
      expectEqual("the run", await runGauntlet(site), 1);
      const state = {
        last_run_completed_at: "2999-01-01T00:00:00.000Z",
        branch: "main",
        status: "passed",
      };
      site.write("gauntlet_logs/.execution_state", JSON.stringify(state));
      expectEqual("a run after one in the future", await runGauntlet(site), 1);
    },
  },
  {
    name: "four gauntlets at once",
    provedBy: "integration/gauntlet/starts",
    strike: async (site) => {
      site.gauntlet("sleep 0.1");
      const codes = await Promise.all(Array.from({ length: 4 }, () => runGauntlet(site)));
      if (!codes.includes(0)) throw new Error(`none passed: ${codes.join(", ")}`);
      if (codes.some((code) => code !== 0 && code !== 1))
        throw new Error(`codes ${codes.join(", ")}`);
      await site.expectNoProcess();
      await site.expectWholeLogs();
    },
  },
  {
    name: "stops of 20 sessions at once",
    strike: async (site, { stopsPerSession }) => {
      site.hooks("echo go on >&2; exit 2");
      await Promise.all(
        Array.from({ length: SESSIONS }, async () => {
          for (let i = 0; i < stopsPerSession; i++) {
            expectEqual("a stop", (await site.stop(120_000)).continueReason, "go on");
          }
        })
      );
    },
  },
  {
    name: "settings replaced while they are read",
    strike: async (site) => {
      site.hooks("echo one >&2; exit 2");
      const path = join(site.dir, ".mux/settings.json");
      const other = join(site.dir, ".mux/other.json");
      const swap = setInterval(() => {
        const word = Math.random() < 0.5 ? "one" : "two";
        const hooks = [{ type: "command", command: `echo ${word} >&2; exit 2` }];
        writeFileSync(other, JSON.stringify({ hooks: { Stop: [{ hooks }] } }));
        renameSync(other, path);
      }, 1);
      try {
        for (let i = 0; i < 10; i++) {
          const { continueReason } = await site.stop(60_000);
          if (continueReason !== "one" && continueReason !== "two") {
            throw new Error(`a stop answered ${JSON.stringify(continueReason)}`);
          }
        }
      } finally {
        clearInterval(swap);
      }
    },
  },
];
