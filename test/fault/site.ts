/** The project and the processes of one fault, and the checks after it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runStopHooks } from "@/node/services/hooks/stopHookExecutor";
import type { StopHooksResult } from "@/node/services/hooks/contract/types";
import { randomNumbers } from "@test/fuzz/random";
import { NotPossible, type Fault, type FaultOptions } from "@test/fault/faults";
import { agentGauntletBin, muxHooksBin } from "@test/helpers/built";
import { gitEnv } from "@test/helpers/gitProject";
import { createRepository } from "@test/helpers/newRepository";

/** Processes end within five seconds after a kill (H23a), and later on a machine that has no time for them. */
const MAX_END_MS = 30_000;
const POLL_MS = 25;

export class Site {
  readonly root = mkdtempSync(join(tmpdir(), "mux-fault-"));
  readonly dir = join(this.root, "project");
  readonly home = join(this.root, "home");
  readonly transcript = join(this.root, "session", "chat.jsonl");
  readonly env = {
    ...process.env,
    HOME: this.home,
    MUX_HOOKS_TRUST: "always",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  readonly runtime = new LocalRuntime({ env: this.env });

  constructor(private readonly random: () => number) {
    for (const folder of [this.dir, this.home]) mkdirSync(folder);
    this.write("../session/chat.jsonl", '{"role":"user","parts":[]}\n');
  }

  write(name: string, text: string, mode = 0o644): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    return path;
  }

  hooks(...handlers: (string | Record<string, unknown>)[]): void {
    const all = handlers.map((handler) =>
      typeof handler === "string"
        ? { type: "command", command: handler }
        : { type: "command", ...handler }
    );
    this.write(".mux/settings.json", JSON.stringify({ hooks: { Stop: [{ hooks: all }] } }));
  }

  /** Creates a repository with a changed file and these gates. */
  gauntlet(command: string, more = "", reviews = ""): void {
    this.#configure(command, more, reviews);
    createRepository(this.dir, gitEnv());
    this.write("a.txt", "changed\n");
  }

  /** Runs a stop of the embedded engine. Throws if it takes longer than the limit. */
  async stop(limitMs: number): Promise<StopHooksResult> {
    const begin = performance.now();
    const result = await runStopHooks(
      this.runtime,
      this.dir,
      {
        session_id: "s",
        transcript_path: this.transcript,
        cwd: this.dir,
        permission_mode: "default",
        hook_event_name: "Stop",
        stop_hook_active: false,
        last_assistant_message: "Done.",
      },
      { load: { env: {}, home: this.home } }
    );
    const ms = performance.now() - begin;
    if (ms > limitMs) throw new Error(`a stop took ${ms.toFixed(0)} ms, more than ${limitMs}`);
    return result;
  }

  muxHooks(...args: string[]): ChildProcess {
    return this.#start(muxHooksBin, args);
  }

  agentGauntlet(...args: string[]): ChildProcess {
    return this.#start(agentGauntletBin, args);
  }

  #start(program: string, args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [program, ...args], {
      cwd: this.dir,
      env: this.env,
      stdio: "ignore",
      detached: true,
    });
  }

  /** Sends SIGKILL at a random moment, and waits for the exit, which may come earlier. */
  async killAtRandom(child: ChildProcess, withinMs: number): Promise<void> {
    const exited = once(child, "exit");
    const timer = setTimeout(() => child.kill("SIGKILL"), this.random() * withinMs);
    await exited;
    clearTimeout(timer);
  }

  /** Sends SIGKILL to one of the processes whose command line contains a text. Throws if there is none in time. */
  async killOne(text: string, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      const found = this.processes().filter(({ command }) => command.includes(text));
      const victim = found[Math.floor(this.random() * found.length)];
      if (victim !== undefined) {
        await delay(this.random() * 50);
        try {
          process.kill(victim.pid, "SIGKILL");
          return;
        } catch {
          // The process has already ended, so another one is searched for.
        }
      }
      await delay(2);
    }
    throw new Error(`no process with "${text}" has started within ${withinMs} ms`);
  }

  /** Lists the processes whose environment contains the root of this site, as HOME does. */
  processes(): { pid: number; command: string }[] {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
      try {
        if (!readFileSync(`/proc/${name}/environ`, "latin1").includes(this.root)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
        return [{ pid: Number(name), command }];
      } catch {
        return [];
      }
    });
  }

  async expectNoProcess(): Promise<void> {
    const deadline = performance.now() + MAX_END_MS;
    while (this.processes().length > 0) {
      if (performance.now() > deadline) {
        throw new Error(`processes are left: ${JSON.stringify(this.processes())}`);
      }
      await delay(POLL_MS);
    }
  }

  /** Checks that every JSON file is complete, and that the next run acquires the lock, passes and leaves no lock. */
  async expectWholeLogs(): Promise<void> {
    const folder = join(this.dir, "gauntlet_logs");
    for (const name of this.#names(folder)) {
      if (name.endsWith(".json") || name === ".execution_state") {
        JSON.parse(readFileSync(join(folder, name), "utf8"));
      }
    }
    this.#configure("true");
    const child = this.agentGauntlet("run");
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`the next run ends with ${String(code)}`);
    const locks = this.#names(folder).filter((name) => name.endsWith(".lock"));
    if (locks.length > 0) throw new Error(`a lock is left: ${locks.join(", ")}`);
  }

  #configure(command: string, more = "", reviews = ""): void {
    this.write(
      ".gauntlet/config.yml",
      `base_branch: main\nlog_dir: gauntlet_logs\n${more}entry_points:\n- path: .\n  checks:\n  - it: {command: ${JSON.stringify(command)}}\n${reviews}`
    );
  }

  #names(folder: string): string[] {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Runs one fault at a new site. */
export async function strike(fault: Fault, seed: number, options: FaultOptions) {
  const site = new Site(randomNumbers(seed));
  try {
    await fault.strike(site, options);
    await site.expectNoProcess();
    return "passed";
  } catch (thrown) {
    if (thrown instanceof NotPossible) return "skipped";
    throw thrown;
  } finally {
    for (const { pid } of site.processes()) process.kill(pid, "SIGKILL");
    site.dispose();
  }
}
