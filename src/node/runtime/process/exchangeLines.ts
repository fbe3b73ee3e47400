/**
 * Runs a program on this machine with which the caller exchanges lines, such as Codex's app server, and ends it with
 * all its processes afterwards or at a time limit.
 */
import pTimeout, { TimeoutError } from "p-timeout";
import { MIB } from "@/common/limits";
import { holdGroup, releaseGroup, prepareToHold } from "@/node/runtime/process/killOnExit";
import * as groups from "@/node/runtime/process/spawnGroup";
import { explainStartFailure } from "@/node/runtime/process/startFailure";
import { terminate } from "@/node/runtime/process/waitForExit";

/** How much a program may print. Later output is not read. */
const MAX_BYTES = 8 * MIB;

export interface LineChannel {
  /** Writes a line to the standard input of the program. Input that is not read is not an error. */
  send(line: string): void;
  /** Returns the next line of its standard output, or undefined at the end of it. */
  receive(): Promise<string | undefined>;
  /** Resolved when the program has exited. */
  readonly exited: Promise<groups.Exit>;
}

export type Conversation<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "timedOut" }
  | { readonly kind: "notStarted"; readonly message: string };

/** Starts the program, calls `talk`, and ends the program with all its processes when `talk` is done or too late. */
export async function exchangeLines<T>(
  program: Omit<groups.Program, "stdin">,
  timeoutMs: number,
  talk: (channel: LineChannel) => Promise<T>
): Promise<Conversation<T>> {
  prepareToHold();
  const spawned = await groups.spawnGroup(program, { holdStdin: true, onStarted: holdGroup });
  if (spawned.isErr()) {
    const { message } = await explainStartFailure(program, spawned.error);
    return { kind: "notStarted", message };
  }
  const group = spawned.value;
  try {
    const value = await pTimeout(talk(channelOf(group)), { milliseconds: timeoutMs });
    return { kind: "done", value };
  } catch (thrown) {
    if (thrown instanceof TimeoutError) return { kind: "timedOut" };
    throw thrown;
  } finally {
    await terminate(group);
    releaseGroup(group.leader);
    group.release();
  }
}

function channelOf({ stdin, stdout, stderr, exited }: groups.ProcessGroup): LineChannel {
  const lines = linesOf(stdout);
  stderr.resume();
  return {
    exited,
    send: (line) => stdin?.write(`${line}\n`),
    receive: async () => {
      const next = await lines.next();
      return next.done === true ? undefined : next.value;
    },
  };
}

async function* linesOf(stream: groups.ProcessGroup["stdout"]): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch {
    // The pipe was closed at the time limit.
  }
  if (rest !== "") yield rest;
}
