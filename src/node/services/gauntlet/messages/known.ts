/** Texts about known failures, checks that cannot work on a machine, and tests that no longer run (G43 to G49). */
import { plural, visible } from "@/common/safeText";

/** The failures of a check that were recorded before the change (G45). */
export interface KnownPart {
  readonly count: number;
  /** The day of the record, in ISO 8601, and its commit. */
  readonly since: string;
  readonly commit: string;
  /** Tests that fail in another way than recorded, while files of their entry point changed. */
  readonly differing?: number;
  /** Only the lines of its output are known, and the change may concern the check. */
  readonly isDoubtful?: boolean;
}

const COMMIT_DIGITS = 10;

const MAX_NAMED = 3;

/** Returns the message of a check with the outcome `known`. */
export function knownOnly({ count, since, commit }: KnownPart): string {
  return `${plural(count, "known failure")}, recorded on ${since} at ${commit.slice(0, COMMIT_DIGITS)}`;
}

/** Returns the text about a check with known failures, for the user at each stop. */
export function knownAtStop(jobId: string, known: KnownPart, logPath: string | undefined): string {
  const { differing = 0, isDoubtful } = known;
  const other =
    differing === 0
      ? ""
      : `; ${plural(differing, "known failure")} ${differing === 1 ? "fails" : "fail"} differently now`;
  const doubt = isDoubtful === true ? "; only the lines of its output are known" : "";
  const log = logPath === undefined ? "" : ` (${visible(logPath)})`;
  return `${visible(jobId)} still fails: ${knownOnly(known)}${other}${doubt}${log}`;
}

/** The reasons why a check cannot work on a machine, by their kind (G49). */
export const MISSING = {
  key: "a key of a model is missing, which no check gets unless its definition names it in pass_env",
  program: "a program is missing",
  packages: "the installed packages cannot be used",
  network: "the network cannot be reached",
  browser: "a browser is missing",
  toolchain: "a toolchain is missing",
} as const;

/** Returns the warning about a check whose report cannot be read, for the user (G48). */
export function testsNotCompared(jobId: string, problem: string): string {
  return `${visible(jobId)}: its tests could not be compared with those of the last pass: ${problem}`;
}

/** Returns the warning about tests that no longer run, for the user (G48). */
export function vanishedTests(jobId: string, names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `"${visible(name)}"`);
  const rest = names.length - shown.length;
  const more = rest > 0 ? ` … and ${rest} more` : "";
  return `${visible(jobId)}: ${plural(names.length, "test")} that ran at the last pass no longer ${names.length === 1 ? "runs" : "run"}: ${shown.join(", ")}${more}`;
}
