export interface Program {
  readonly name: string;
  readonly package: string;
  /** Whether no test can run without it. */
  readonly isRequired?: boolean;
  /** The beginning of its `--version` output, if another program has the same name. */
  readonly version?: string;
}
export const PROGRAMS: readonly Program[];
/** Returns the absolute path of a program on PATH, or undefined if it is missing. */
export function findProgram(program: Pick<Program, "name" | "version">): string | undefined;
/** Returns the absolute path of a listed program, or undefined if it is missing. */
export function pathOf(name: string): string | undefined;
/**
 * Returns whether this machine has a listed program. Pass it to `test.runIf` or `describe.runIf`. `make test` prints
 * the reason for the skipped tests before they start, or fails if `CI` is set.
 */
export function has(name: string): boolean;
/** Returns the listed programs that a text names and this machine does not have. */
export function missingIn(text: string): string[];
