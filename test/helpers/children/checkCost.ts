/** Runs one check with its log in a folder. Prints its result, and the peak memory and CPU time of this host. */
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runCheck } from "@/node/services/gauntlet/gates/runCheck";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";

// The signal of a limit on file sizes would end this process before a write fails.
process.on("SIGXFSZ", () => undefined);

const [folder = "/", script = "true", timeoutS = "60"] = process.argv.slice(2);
const runtime = new LocalRuntime();
const run = (command: string, name: string) =>
  runCheck(runtime, checkJob(command, { name, timeoutS: Number(timeoutS) }), {
    projectDir: folder,
    rerun: false,
    env: {},
    logPath: `${folder}/${name}.log`,
    now: () => new Date(),
  });
await run("true", "warm");
const before = process.cpuUsage();
const { result } = await run(script, "it");
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    result,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    cpuMs: (user + system) / 1000,
  })
);
