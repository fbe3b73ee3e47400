/** Runs one command line through the runtime and prints the peak memory and the CPU time of this host. */
import { LocalRuntime } from "@/node/runtime/LocalRuntime";

const [script = "true"] = process.argv.slice(2);
const runtime = new LocalRuntime();
await runtime.exec({ command: { script: "true" }, cwd: "/" });
const before = process.cpuUsage();
const { stdout } = await runtime.exec({ command: { script }, cwd: "/" });
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    bytes: stdout.bytes,
    keptChars: stdout.text.length,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    cpuMs: (user + system) / 1000,
  })
);
