/**
 * A worker thread of a host that starts the spawner (the process that starts the host's programs), so that the main
 * thread is not delayed, and forwards messages between the main thread and the spawner. When the host ends for any
 * reason, the channel that this thread holds is closed, and the spawner exits.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { describeError } from "@/common/errors";
import type { FromThread, ToThread } from "@/node/runtime/process/spawner/Spawner";

// A session of its own: keys typed at the host's terminal must not signal it.
const spawner = spawn(process.execPath, [workerData as string], {
  cwd: "/",
  detached: true,
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  serialization: "advanced",
});

// `end` handles the first error. A second one must not end the host.
spawner.on("error", () => undefined);

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}

/** Returns why the spawner ended, once its last message has been received. */
async function end(): Promise<string> {
  try {
    const [[code, signal]] = (await Promise.all([
      once(spawner, "exit"),
      once(spawner, "disconnect"),
    ])) as [[number | null, NodeJS.Signals | null], []];
    return signal ?? `exit code ${String(code)}`;
  } catch (thrown) {
    return describeError(thrown);
  }
}

spawner.on("message", send);
void end().then((reason) => {
  send({ kind: "lost", reason });
  parentPort?.close();
});
parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "kill") spawner.kill("SIGKILL");
  // If the message cannot be sent, the exit event follows.
  else spawner.send(message, () => undefined);
});
