// Imports `.sh` files as text in programs that tsx runs: tsx --import ./scripts/shellTextHook.mjs FILE.
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { textModule } from "./shellText.mjs";

if (isMainThread) register(import.meta.url);

/** Implements the `load` hook of Node's module loader. */
export async function load(url, context, next) {
  if (!url.endsWith(".sh")) return next(url, context);
  return { format: "module", source: textModule(fileURLToPath(url)), shortCircuit: true };
}
