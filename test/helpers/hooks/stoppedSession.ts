/** A session that a child program stops many times, and the resources that its host holds. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BuiltinHooks, LocalRuntime, StopHookController } from "@/index";

/** Returns a function that opens the session, with hooks of these commands and a builtin one. */
export function sessionIn(
  root: string,
  commands: readonly (string | { command: string; timeout: number })[]
): () => StopHookController {
  const projectDir = join(root, "project");
  for (const folder of [join(projectDir, ".mux"), join(root, "session")]) {
    mkdirSync(folder, { recursive: true });
  }
  const hooks = commands.map((hook) => ({
    type: "command",
    ...(typeof hook === "string" ? { command: hook } : hook),
  }));
  const settings = { hooks: { Stop: [{ hooks: [...hooks, { type: "builtin", name: "quick" }] }] } };
  writeFileSync(join(projectDir, ".mux", "settings.json"), JSON.stringify(settings));
  writeFileSync(join(root, "session", "chat.jsonl"), "");
  const runtime = new LocalRuntime();
  const builtins = new BuiltinHooks().register("quick", () => Promise.resolve(undefined));
  const load = { env: {}, home: root };
  return () => new StopHookController({ runtime, projectDir, event: "Stop", builtins, load });
}

/** Ends a turn of the session in that folder. */
export async function stop(controller: StopHookController, root: string, interrupted = false) {
  await controller.beginTurn();
  const stopped = controller.turnEnded({
    finish: "stop",
    hasQueuedInput: () => false,
    input: {
      session_id: "s",
      transcript_path: join(root, "session", "chat.jsonl"),
      cwd: join(root, "project"),
      permission_mode: "default",
    },
  });
  if (interrupted) controller.cancel();
  return (await stopped).action;
}

/** Returns the number of open files, after closed resources have disappeared in the next turns of the event loop. */
export async function openFiles(): Promise<number> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  return readdirSync("/proc/self/fd").length;
}
