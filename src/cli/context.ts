/** Everything a command may know of the process it runs in, handed in so that tests can hand in their own. */
import { constants, homedir } from "node:os";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** A terminal that does not know its size says 0. */
export function knownSize(size: number | undefined, otherwise: number): number {
  return size === undefined || size === 0 ? otherwise : size;
}

export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Calls again and again, without keeping the process alive; answers with the way to end it. */
  every(ms: number, tick: () => void): () => void;
}

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

export interface CliContext {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
  /** The file that this process was started with, absolute. */
  readonly program: string;
  /** Absolute: the folder that `~` stands for. */
  readonly home: string;
  readonly clock: Clock;
  /** Ctrl-C, or a request to end. Answers with the way to stop listening. */
  readonly onInterrupt: (listener: (signal: InterruptSignal) => void) => () => void;
}

const INTERRUPTS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
export type InterruptSignal = (typeof INTERRUPTS)[number];

/** The exit code of a program that a signal ended, as shells have it. */
export function signalExitCode(signal: InterruptSignal): number {
  return 128 + constants.signals[signal];
}

export function processContext(): CliContext {
  return {
    // Opened when it is asked for: few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    program: process.argv[1] ?? "",
    home: homedir(),
    clock: systemClock,
    onInterrupt,
  };
}

const systemClock: Clock = {
  now: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => {
      clearInterval(timer);
    };
  },
};

/** The first signal is the listener's to answer; a second one does not wait for it. */
export function onInterrupt(listener: (signal: InterruptSignal) => void): () => void {
  let interrupted = false;
  const handle = (signal: InterruptSignal): void => {
    // Not the signal's own way to end: only `exit` takes the running programs along.
    if (interrupted) process.exit(signalExitCode(signal));
    interrupted = true;
    listener(signal);
  };
  for (const signal of INTERRUPTS) process.on(signal, handle);
  return () => {
    // What was interrupted may still be ending, and a second signal has to find us.
    if (interrupted) return;
    for (const signal of INTERRUPTS) process.off(signal, handle);
  };
}
