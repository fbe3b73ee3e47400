/**
 * Defines what a command uses of its process: streams, environment, folders, clock and signals, which tests can
 * replace. Also has the exit codes, and functions that print lines and errors, await interrupts, and refuse a command
 * that has no terminal for a confirmation.
 */
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

/** The part of the context that determines where a program is looked up and started. */
export type CliPlace = Pick<CliContext, "cwd" | "env" | "home">;

const INTERRUPTS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
export type InterruptSignal = (typeof INTERRUPTS)[number];

/** Returns the exit code that shells use for a program ended by the signal. */
export function signalExitCode(signal: InterruptSignal): number {
  return 128 + constants.signals[signal];
}

/** Returns the context of this process. */
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
    clock: {
      now: monotonicMs,
      every: (ms, tick) => {
        const timer = setInterval(tick, ms).unref();
        return () => {
          clearInterval(timer);
        };
      },
    },
    onInterrupt,
    onExit: (listener) => {
      process.once("exit", listener);
      return () => process.off("exit", listener);
    },
  };
}

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

/** The exit codes of the command. If a signal ended it, the code is 128 plus the signal's number. */
export const EXIT = {
  /** Done; for `run`, `check`, `review` and `merge`: no gate blocks the work. Warnings never change this. */
  ok: 0,
  /** Gates failed, the turn ended with an error, or the command could not be carried out. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** `hooks test`: the hooks would send the agent back. */
  wouldContinue: 3,
  /** Ctrl-C, or a termination signal. */
  interrupted: 130,
} as const;

/** One of {@link EXIT}, or the exit code of a signal. */
export type ExitCode = number;

/** Prints a line on standard output, and returns the exit code of a success. */
export function printLine({ stdout }: Pick<CliContext, "stdout">, line: string): ExitCode {
  stdout.write(`${line}\n`);
  return EXIT.ok;
}

/** Prints an error message, which the output escapes, and returns the exit code of a failure. */
export function printError({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`mux-stop-hooks: ${message}\n`);
  return EXIT.failure;
}

/** Runs an action, and aborts its signal on an interrupt. */
export async function withInterrupt<T>(
  { onInterrupt }: Pick<CliContext, "onInterrupt">,
  act: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const interrupt = new AbortController();
  const stopListening = onInterrupt((signal) => {
    interrupt.abort(signal);
  });
  try {
    return await act(interrupt.signal);
  } finally {
    stopListening();
  }
}

/**
 * Runs an action and aborts its signal on an interrupt. Waits for the action to end, and then returns the exit code of
 * the first interrupt, if there was one (G28).
 */
export async function interruptible(
  context: Pick<CliContext, "onInterrupt">,
  act: (signal: AbortSignal) => Promise<ExitCode>
): Promise<ExitCode> {
  return await withInterrupt(context, async (signal) => {
    const code = await act(signal);
    return signal.aborted ? signalExitCode(signal.reason as InterruptSignal) : code;
  });
}

/** Returns whether a person at a terminal can answer a question. */
export function isAtTerminal({ stdin, stdout }: Pick<CliContext, "stdin" | "stdout">): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Returns why the user cannot be prompted for a confirmation, or undefined if there is a terminal. */
export function refuseWithoutTerminal(context: CliContext): string | undefined {
  return isAtTerminal(context)
    ? undefined
    : "there is no terminal for the confirmation; run the command in a terminal, or with --yes";
}
