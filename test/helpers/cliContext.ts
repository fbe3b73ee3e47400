import { PassThrough } from "node:stream";
import { OWN_ESC } from "@/common/safeText";
import type { CliContext, Clock, ExitCode, InterruptSignal, Output } from "@/cli/context";
import { agentGauntletBin } from "@test/helpers/built";

/** A stream that keeps all text written to it, with our own control sequences as a terminal gets them. */
export class RecordedOutput implements Output {
  text = "";
  constructor(
    readonly isTTY = false,
    readonly columns = 100,
    readonly rows = 24
  ) {}

  write(text: string): void {
    this.text += text.replaceAll(OWN_ESC, "\u001b");
  }
}

/** A clock that a test advances by hand. */
export class HandClock implements Clock {
  #now = 0;
  readonly #ticks = new Set<{ ms: number; next: number; tick: () => void }>();

  now(): number {
    return this.#now;
  }

  every(ms: number, tick: () => void): () => void {
    const timer = { ms, next: this.#now + ms, tick };
    this.#ticks.add(timer);
    return () => this.#ticks.delete(timer);
  }

  get timers(): number {
    return this.#ticks.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#ticks].filter((t) => t.next <= end).sort((a, b) => a.next - b.next)[0];
      if (due === undefined) break;
      this.#now = due.next;
      due.next += due.ms;
      due.tick();
    }
    this.#now = end;
  }
}

export interface TestContext extends CliContext {
  /** The user's input. */
  readonly stdin: PassThrough & { readonly isTTY: boolean };
  readonly stdout: RecordedOutput;
  readonly stderr: RecordedOutput;
  /** Sends Ctrl-C, or another signal. */
  readonly interrupt: (signal?: InterruptSignal) => void;
}

/** How a command of a test ended. */
export interface Called {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** Waits for a command in this context. */
export async function ended({ stdout, stderr }: TestContext, command: Promise<ExitCode>) {
  const code = await command;
  return { code, stdout: stdout.text, stderr: stderr.text };
}

export function testContext(
  folders: { cwd: string; home: string },
  { env = {}, tty = false }: { env?: NodeJS.ProcessEnv; tty?: boolean } = {}
): TestContext {
  const listeners = new Set<(signal: InterruptSignal) => void>();
  return {
    ...folders,
    program: agentGauntletBin,
    stdin: Object.assign(new PassThrough(), { isTTY: tty, setRawMode: () => undefined }),
    stdout: new RecordedOutput(tty),
    stderr: new RecordedOutput(tty),
    env: { PATH: process.env.PATH, HOME: folders.home, ...env },
    clock: new HandClock(),
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onExit: () => () => undefined,
    interrupt: (signal = "SIGINT") => {
      for (const listener of listeners) listener(signal);
    },
  };
}
