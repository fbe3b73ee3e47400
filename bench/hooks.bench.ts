import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { loadHookSettings, LocalRuntime, StopHookController } from "@/index";
import { runSessionStop } from "@/node/services/hooks/stopHookExecutor";
import { inTurns, ratioOf, summarize, timed, Turns, type Benchmark, type Figure } from "./lib";

interface Stops {
  /** Runs the hooks and reads their verdicts, with settings that are already loaded. */
  readonly hooks: () => Promise<unknown>;
  /** Runs a whole stop, as a host does. */
  readonly whole: () => Promise<unknown>;
}

/** Runs `use` with a session that is about to stop, in a project with `hooks` hooks that do nothing. */
async function withSession<T>(hooks: number, use: (stops: Stops) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "hooks-bench-"));
  const projectDir = join(root, "project");
  await mkdir(join(projectDir, ".mux"), { recursive: true });
  await mkdir(join(root, "session"));
  if (hooks > 0) {
    const handlers = Array.from({ length: hooks }, (_, i) => ({
      type: "command",
      command: `true ${i}`,
    }));
    const settings = JSON.stringify({ hooks: { Stop: [{ hooks: handlers }] } });
    await writeFile(join(projectDir, ".mux", "settings.json"), settings);
  }
  const runtime = new LocalRuntime();
  const load = { env: { MUX_ROOT: join(root, "user") }, home: root };
  const settings = await loadHookSettings(runtime, projectDir, load);
  const controller = new StopHookController({ runtime, projectDir, event: "Stop", load });
  const input = {
    session_id: "bench",
    transcript_path: join(root, "session", "chat.jsonl"),
    cwd: projectDir,
    permission_mode: "default",
    last_assistant_message: "x".repeat(2000),
  };
  const stop = { ...input, hook_event_name: "Stop", stop_hook_active: false } as const;
  const trailing: Promise<unknown>[] = [];
  const onDeferredWork = (work: Promise<unknown>): void => void trailing.push(work);
  try {
    return await use({
      hooks: () => runSessionStop(runtime, projectDir, stop, { settings, onDeferredWork }),
      whole: () => controller.turnEnded({ finish: "stop", hasQueuedInput: () => false, input }),
    });
  } finally {
    await Promise.all([controller.dispose(), ...trailing]);
    await rm(root, { recursive: true, force: true });
  }
}

const stdin = `${JSON.stringify({ last_assistant_message: "x".repeat(2000) })}\n`;
const byExeca = (count: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      execa("bash", ["-c", `true ${i}`], { cwd: "/", input: stdin, reject: false })
    )
  );

async function againstExeca(
  id: string,
  claim: string,
  part: keyof Stops,
  hooks: number,
  rounds: number
): Promise<Figure> {
  const turns = await withSession(hooks, (stops) =>
    inTurns({ floor: () => byExeca(hooks), ours: stops[part] }, rounds)
  );
  return { id, claim: `${claim}, against execa starting the same`, ...ratioOf(turns) };
}

async function noHook(): Promise<Figure> {
  const times = await withSession(0, async ({ whole }) => {
    const rounds: number[] = [];
    for (let i = 0; i < 200; i++) rounds.push(await timed(whole));
    return rounds.slice(20);
  });
  const claim = "a stop where nothing is configured";
  return { id: "no-hook", claim, unit: "ms", ...summarize(times) };
}

const LIBRARY = ["index", "gauntlet", "session"].map(
  (name) => new URL(`../dist/${name}.js`, import.meta.url).href
);

/** Returns the CPU time in milliseconds that a process needs to import `modules`. */
async function importing(modules: readonly string[]): Promise<number> {
  const script = `
    const before = process.cpuUsage();
    await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)));
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", script]);
  return Number(stdout);
}

async function importHooks(): Promise<Figure> {
  const rounds: Record<"floor" | "ours", number>[] = [];
  for (let i = 0; i < 30; i++) {
    rounds.push({ floor: await importing(LIBRARY), ours: await importing(LIBRARY.slice(0, 1)) });
  }
  const claim = "importing mux-stop-hooks, in CPU time, against importing all three entries";
  return { id: "import-hooks", claim, ...ratioOf(new Turns(rounds)) };
}

export const benchmarks: Benchmark[] = [
  {
    ids: ["hook"],
    measure: () => againstExeca("hook", "one command hook", "hooks", 1, 300),
  },
  {
    ids: ["hook-32"],
    measure: () => againstExeca("hook-32", "32 command hooks at once", "hooks", 32, 30),
  },
  {
    ids: ["stop"],
    measure: () =>
      againstExeca("stop", "a whole stop with one hook, settings included", "whole", 1, 300),
  },
  { ids: ["no-hook"], measure: noHook },
  { ids: ["import-hooks"], measure: importHooks },
];
