/** The exit codes of `mux-hooks`. */
export const EXIT = {
  /** Success. Warnings of hooks never change this. */
  ok: 0,
  /** A file or folder cannot be used, the turn ended with an error, or `validate` found problems. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** `test`: the hooks would send the agent back. */
  wouldContinue: 3,
  /** Ctrl-C, or a termination signal. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
