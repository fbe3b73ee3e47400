/** Uses the machine `box` of an ssh_config, and then awaits only that its connection ends. */
import { openSshRuntime } from "@/node/runtime/ssh/openSshRuntime";

const runtime = openSshRuntime({ host: "box" }, { config: process.argv[2] ?? "" });
await runtime.stat(["/"]);
await runtime.dispose();
process.stdout.write('"disposed"');
