/**
 * Hosts of early 2026 do not listen for an error of their client's standard input: where the client is gone while
 * something is written, that ends the whole host. Node tells of every process that is started; for those that run a
 * line of ours somebody listens.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";

const CHANNEL = "child_process";

interface StartedProcess {
  /** Of one that could not be started there are none. */
  readonly spawnargs?: readonly string[];
  readonly stdin?: NodeJS.WritableStream | null;
}

/** @param line how every line of ours begins, however the host quotes it */
export async function withInputListener<T>(line: string, start: () => Promise<T>): Promise<T> {
  const onMessage = (message: unknown): void => {
    const { process: child } = message as { process: StartedProcess };
    // It is told of before it has its arguments and its pipes.
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
