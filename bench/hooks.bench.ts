import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { LocalRuntime, StopHookController, type FinishedTurn } from "@/index";
import { interleaved, median, timed, type Figure } from "./lib";

/** A project with so many hooks that do nothing, and a session in it that is about to stop. */
async function withSession<T>(
  hooks: number,
  use: (stop: () => Promise<unknown>) => Promise<T>
): Promise<T> {
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
  const controller = new StopHookController({ runtime, projectDir, event: "Stop", load });
  const turn: FinishedTurn = {
    finish: "stop",
    hasQueuedInput: () => false,
    input: {
      session_id: "bench",
      transcript_path: join(root, "session", "chat.jsonl"),
      cwd: projectDir,
      permission_mode: "default",
      last_assistant_message: "x".repeat(2000),
    },
  };
  try {
    return await use(() => controller.turnEnded(turn));
  } finally {
    controller.dispose();
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

async function stopAgainstExeca(id: string, hooks: number, rounds: number): Promise<Figure> {
  const { floor, ours } = await withSession(hooks, (stop) =>
    interleaved({ floor: () => byExeca(hooks), ours: stop, rounds })
  );
  const claim = `a whole stop with ${hooks} command hook(s), warm, against execa starting the same`;
  return { id, claim, value: ours / floor, unit: "ratio" };
}

export const oneHook = (): Promise<Figure> => stopAgainstExeca("hook", 1, 300);
export const manyHooks = (): Promise<Figure> => stopAgainstExeca("hook-32", 32, 30);

export async function noHook(): Promise<Figure> {
  const times = await withSession(0, async (stop) => {
    const rounds: number[] = [];
    for (let i = 0; i < 200; i++) rounds.push(await timed(stop));
    return rounds.slice(20);
  });
  const claim = "a stop where nothing is configured";
  return { id: "no-hook", claim, value: median(times), unit: "ms" };
}
