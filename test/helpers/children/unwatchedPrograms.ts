/** Starts programs although the watcher of process groups cannot be started, and prints how each ended. */
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";

const runtime = new FastStartRuntime({ env: { ...process.env } });
// Longer than the system allows, so that Node's `spawn` throws, as it does if no memory is free.
process.env.PATH = "x".repeat(200_000);
runtime.expectPrograms();
const requests = [
  { isBrief: true, command: { script: "sleep 1.2" } },
  { command: { script: ":" } },
];
const results = await Promise.all(
  requests.map((request) => runtime.exec({ cwd: "/", ...request }))
);
console.log(JSON.stringify(results.map(({ end }) => end.kind)));
