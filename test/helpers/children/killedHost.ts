/** A host that embeds the engine: runs one command line through the runtime, without a time limit. */
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";

const [script = "true"] = process.argv.slice(2);
await new LocalRuntime().exec({ command: { script }, cwd: "/" });
