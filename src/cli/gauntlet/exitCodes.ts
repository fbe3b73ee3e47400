/** The exit codes of `agent-gauntlet`. If a signal ended it, the code is 128 plus the signal's number. */
export const EXIT = {
  /** Done; for `run`, `check`, `review` and `merge`: no gate blocks the work. */
  ok: 0,
  /** Gates failed, or the command could not be carried out. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
} as const;

/** One of {@link EXIT}, or the exit code of a signal. */
export type GauntletExitCode = number;
