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
