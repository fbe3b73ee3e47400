/**
 * `soakingHost.ts ROOT STOPS`: stops a session that number of times, and prints the host's resources after a tenth of
 * the stops and at the end. Requires `--expose-gc`.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { StopHookController } from "@/node/services/hooks/stop/stopHookController";

const [root = "", stops = "10000"] = process.argv.slice(2);
const projectDir = join(root, "project");
mkdirSync(join(projectDir, ".mux"), { recursive: true });
mkdirSync(join(root, "session"), { recursive: true });
const hooks = ["exit 0", "echo no >&2; exit 2"].map((command) => ({ type: "command", command }));
writeFileSync(
  join(projectDir, ".mux", "settings.json"),
  JSON.stringify({ hooks: { Stop: [{ hooks }] } })
);
writeFileSync(join(root, "session", "chat.jsonl"), "");
const controller = new StopHookController({
  runtime: new LocalRuntime(),
  projectDir,
  event: "Stop",
  load: { env: {}, home: root },
});
const collect = (globalThis as { gc?: () => void }).gc;

async function held() {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  collect?.();
  await nextTurn();
  const rssMiB = Math.round(process.memoryUsage().rss / 1024 / 1024);
  return { descriptors: readdirSync("/proc/self/fd").length, rssMiB };
}

async function stop(): Promise<void> {
  await controller.beginTurn();
  await controller.turnEnded({
    finish: "stop",
    hasQueuedInput: () => false,
    input: {
      session_id: "s",
      transcript_path: join(root, "session", "chat.jsonl"),
      cwd: projectDir,
      permission_mode: "default",
    },
  });
}

let early: Awaited<ReturnType<typeof held>> | undefined;
for (let n = 1; n <= Number(stops); n++) {
  await stop();
  if (n === Number(stops) / 10) early = await held();
}
const late = await held();
await controller.dispose();
console.log(JSON.stringify({ stops: Number(stops), early, late }));
