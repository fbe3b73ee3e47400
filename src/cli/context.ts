/** The parts of the process that a command may use. They are parameters so that tests can pass their own. */
import { userHome } from "@/common/userHome";
import { constants } from "node:os";
import { monotonicMs } from "@/common/monotonicMs";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Whether the reader has closed it. */
  readonly destroyed?: boolean;
}

/** Returns the size, or `otherwise` if it is unknown. A terminal that does not know its size reports 0. */
export function knownSize(size: number | undefined, otherwise: number): number {
  return size === undefined || size === 0 ? otherwise : size;
}

export interface Clock {
  /** Returns a monotonic time in milliseconds. */
  now(): number;
  /** Calls `tick` periodically without keeping the process alive. Returns a function that stops it. */
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
  /** Absolute: the script that this process was started with. */
  readonly program: string;
  /** Absolute: the folder that `~` stands for. */
  readonly home: string;
  readonly clock: Clock;
  /** Listens for Ctrl-C and termination signals. Returns a function that removes the listener. */
  readonly onInterrupt: (listener: (signal: InterruptSignal) => void) => () => void;
  /** Calls the listener when the process ends. Returns a function that removes the listener. */
  readonly onExit: (listener: () => void) => () => void;
}

/** Where a program is looked up and started. */
export type CliPlace = Pick<CliContext, "cwd" | "env" | "home">;

const INTERRUPTS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
export type InterruptSignal = (typeof INTERRUPTS)[number];

/** Returns the exit code that shells use for a program ended by the signal. */
export function signalExitCode(signal: InterruptSignal): number {
  return 128 + constants.signals[signal];
}

export function processContext(): CliContext {
  return {
    // Opened on first use, because few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    program: process.argv[1] ?? "",
    home: userHome(),
    clock: systemClock,
    onInterrupt,
    onExit: (listener) => {
      process.once("exit", listener);
      return () => process.off("exit", listener);
    },
  };
}

const systemClock: Clock = {
  now: monotonicMs,
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => {
      clearInterval(timer);
    };
  },
};

/** Passes the first signal to the listener. A second one ends the process without waiting for the listener. */
export function onInterrupt(listener: (signal: InterruptSignal) => void): () => void {
  let interrupted = false;
  const handle = (signal: InterruptSignal): void => {
    // Not the signal's default action: only `process.exit` also ends the running programs.
    if (interrupted) process.exit(signalExitCode(signal));
    interrupted = true;
    listener(signal);
  };
  for (const signal of INTERRUPTS) process.on(signal, handle);
  return () => {
    // After an interrupt the work may still be shutting down, so a second signal has to reach the handler.
    if (interrupted) return;
    for (const signal of INTERRUPTS) process.off(signal, handle);
  };
}
