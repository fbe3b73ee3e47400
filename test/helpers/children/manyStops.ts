/** Stops a session 20 times, and prints the host's resources before and after. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BuiltinHooks, LocalRuntime, StopHookController } from "@/index";

const [root = ""] = process.argv.slice(2);
const projectDir = join(root, "project");
mkdirSync(join(projectDir, ".mux"), { recursive: true });
mkdirSync(join(root, "session"));
const commands = ["exit 0", "echo no >&2; exit 2", "sleep 3 >&- 2>&- & exit 1", "nowhere-at-all"];
const hooks = commands.map((command) => ({ type: "command", command }));
const settings = { hooks: { Stop: [{ hooks: [...hooks, { type: "builtin", name: "quick" }] }] } };
writeFileSync(join(projectDir, ".mux", "settings.json"), JSON.stringify(settings));

const warnings: string[] = [];
process.on("warning", (warning) => warnings.push(warning.message));
const runtime = new LocalRuntime();
const builtins = new BuiltinHooks().register("quick", () => Promise.resolve(undefined));
const load = { env: {}, home: root };
const open = (): StopHookController =>
  new StopHookController({ runtime, projectDir, event: "Stop", builtins, load });

async function stop(controller: StopHookController, interrupted: boolean): Promise<string> {
  await controller.beginTurn();
  const stopped = controller.turnEnded({
    finish: "stop",
    hasQueuedInput: () => false,
    input: {
      session_id: "s",
      transcript_path: join(root, "session", "chat.jsonl"),
      cwd: projectDir,
      permission_mode: "default",
    },
  });
  if (interrupted) controller.cancel();
  return (await stopped).action;
}

async function held(): Promise<Record<string, unknown>> {
  // Closed resources disappear in the next turns of the event loop.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  return {
    files: readdirSync("/proc/self/fd").length,
    resources: process.getActiveResourcesInfo().sort(),
    exitListeners: process.listenerCount("exit"),
  };
}

const first = open();
await stop(first, false);
await first.dispose();
const before = await held();
const controller = open();
const actions = new Map<string, number>();
for (let n = 0; n < 20; n++) {
  const action = await stop(controller, n % 10 === 0);
  actions.set(action, (actions.get(action) ?? 0) + 1);
}
await controller.dispose();
const counts = Object.fromEntries(actions);
console.log(JSON.stringify({ before, after: await held(), counts, warnings }));
