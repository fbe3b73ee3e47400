/** Detects `opencode run`, which ends as soon as the agent stops, and has no interface that shows toasts. */
import { isMainThread } from "node:worker_threads";

/** Returns whether this process is `opencode run` and executes the agent itself. */
export function isRunCommand(): boolean {
  // The interface in the terminal starts its server in a worker.
  return isMainThread && process.argv.slice(2).includes("run");
}

/** Prints to standard error, because standard output has the answers of the agent. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
