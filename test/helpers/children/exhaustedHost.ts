/**
 * `exhaustedHost.ts FREE HOOKS`: a host with FREE free file descriptors starts HOOKS programs at once. Prints the end
 * of each, and of another program after descriptors are free again.
 */
import { closeSync, openSync } from "node:fs";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ExecEnd } from "@/node/runtime/HookRuntime";

const [free = 0, hooks = 1] = process.argv.slice(2).map(Number);
const runtime = new LocalRuntime();
const run = async (): Promise<ExecEnd> => {
  const { end } = await runtime.exec({ command: { script: "true" }, cwd: "/", stdin: "{}\n" });
  return end;
};

await run(); // Loads all modules.
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
}
const ends = await Promise.all(Array.from({ length: hooks }, run));
for (const descriptor of taken) closeSync(descriptor);
const kinds = ends.map((end) => (end.kind === "notStarted" ? (end.code ?? "") : end.kind));
console.log(JSON.stringify({ kinds, last: (await run()).kind }));
