/** How `agent-gauntlet` ends; where a signal ended it, with 128 and the signal's number. */
export const EXIT = {
  /** Done; for `run` and `check`: nothing stands in the way of the work. */
  ok: 0,
  /** Gates failed, or what was asked for could not be done. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
} as const;

/** One of {@link EXIT}, or a signal's. */
export type GauntletExitCode = number;
