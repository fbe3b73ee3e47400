/**
 * Runs one command line through the runtime, into a log if a path is given, and prints the host's peak memory and CPU
 * time.
 */
import { MIB } from "@/common/limits";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";

const [script = "true", path] = process.argv.slice(2);
const runtime = new FastStartRuntime();
await runtime.exec({ command: { script: "true" }, cwd: "/" });
const before = process.cpuUsage();
const logTo = path === undefined ? {} : { logTo: { path, keepBytes: 64 * MIB } };
const { stdout } = await runtime.exec({ command: { script }, cwd: "/", ...logTo });
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    bytes: stdout.bytes,
    keptChars: stdout.text.length,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    cpuMs: (user + system) / 1000,
  })
);
