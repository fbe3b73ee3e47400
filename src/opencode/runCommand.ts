/** Detects `opencode run`, which ends as soon as the agent stops, and has no interface that shows toasts. */

/** Returns whether this process is `opencode run` and executes the agent itself. */
export function isRunCommand(): boolean {
  // The interface in the terminal starts its server in a worker, with the same arguments.
  return process.argv.slice(2).includes("run") && process.env.OPENCODE_PROCESS_ROLE !== "worker";
}

/** Prints to standard error, because standard output has the answers of the agent. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
