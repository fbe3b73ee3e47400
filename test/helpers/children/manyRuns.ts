/** Runs programs in many ways, and prints the host's resources before and after. */
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ExecRequest } from "@/node/runtime/HookRuntime";

const runtime = new LocalRuntime();
const user = new AbortController();
const warnings: string[] = [];
process.on("warning", (warning) => warnings.push(warning.message));

const exec = (script: string, more: Partial<ExecRequest> = {}): Promise<unknown> =>
  runtime.exec({ command: { script }, cwd: "/", signal: user.signal, timeoutMs: 60_000, ...more });

async function round(): Promise<void> {
  const interrupt = new AbortController();
  const running = [
    exec("true"),
    exec("cat", { stdin: "x".repeat(200_000) }),
    exec("true", { stdin: "x".repeat(1_000_000) }),
    exec("head -c 300000 /dev/zero"),
    exec("echo started; sleep 3 & exit 3"),
    exec("sleep 60", { timeoutMs: 20 }),
    exec("sleep 60", { signal: interrupt.signal }),
    exec("true", { signal: AbortSignal.abort() }),
    exec("true", { cwd: "/nowhere" }),
    runtime.exec({ command: { file: "nowhere-to-be-found", args: [] }, cwd: "/" }),
  ];
  setTimeout(() => {
    interrupt.abort();
  }, 10);
  await Promise.all(running);
}

async function held(): Promise<Record<string, unknown>> {
  // Closed resources disappear in the next turns of the event loop.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  return {
    files: readdirSync("/proc/self/fd").length,
    resources: process.getActiveResourcesInfo().sort(),
    exitListeners: process.listenerCount("exit"),
    abortListeners: getEventListeners(user.signal, "abort").length,
  };
}

await round();
const before = await held();
for (let n = 0; n < 5; n++) await round();
console.log(JSON.stringify({ before, after: await held(), warnings }));
