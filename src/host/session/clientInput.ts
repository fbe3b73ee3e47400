/**
 * Prevents a crash of hosts of early 2026. They have no error listener on their client's standard input, so a write to
 * a client that has exited ends the whole host. Node publishes every started process; those that run one of our lines
 * get a listener.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";

const CHANNEL = "child_process";

interface StartedProcess {
  /** Absent if the process could not be started. */
  readonly spawnargs?: readonly string[];
  readonly stdin?: NodeJS.WritableStream | null;
}

/** Runs `start`. @param line the beginning of each of our lines, which is the same with any quoting by the host */
export async function withInputListener<T>(line: string, start: () => Promise<T>): Promise<T> {
  const onMessage = (message: unknown): void => {
    const { process: child } = message as { process: StartedProcess };
    // The message is published before the process has its arguments and its pipes.
    process.nextTick(() => {
      const words = child.spawnargs ?? [];
      if (words.some((word) => word.includes(line))) child.stdin?.on("error", () => undefined);
    });
  };
  subscribe(CHANNEL, onMessage);
  try {
    return await start();
  } finally {
    unsubscribe(CHANNEL, onMessage);
  }
}
