/**
 * Failures that only look like a verdict: many programs exit with 2 when they could not do their work
 * at all (H19a), and others find nothing where an unquoted path fell apart (H15).
 */
import { createHash } from "node:crypto";

/** What common programs say on stderr, with exit 2, when they never came to run the check. */
const SHAPES = [
  /can't open file .*\[Errno \d+\]/, // python3 missing.py
  /Can't open perl script/,
  /cannot open .*No such file/i, // sh missing.sh
  /can't cd to/, // cd missing, under dash
  /syntax error/i, // bash, dash
  /unexpected (EOF|end of file)/i,
  /^(usage|Usage): [\s\S]*error: /m, // argparse
  /^make(\[\d+\])?: \*\*\*/m,
  /No such file or directory/,
  /command not found|: not found$/m,
  /(invalid|illegal|unrecognized|unknown) option/i,
];

/** A stable name of the failure where stderr has the shape of one: equal names are the same failure again. */
export function launchFailureOf(hookName: string, stderr: string): string | undefined {
  if (!SHAPES.some((shape) => shape.test(stderr))) return undefined;
  return createHash("sha256").update(`${hookName}\0${stderr.trim()}`).digest("hex").slice(0, 16);
}

/** Where a shell splits a value that is not quoted, or takes it for a pattern. */
const SPLITS = /[\s*?[]/;
const QUOTED = /'[^']*'|"(?:[^"\\]|\\.)*"/gs;
const UNQUOTED_PROJECT = /(?:^|[\s;&|(])\$\{?(MUX|CLAUDE)_PROJECT_DIR\b/;

/** What to say to a command line that failed while the project's path needs quotes. */
export function quotingHint(script: string, projectDir: string): string | undefined {
  if (!SPLITS.test(projectDir)) return undefined;
  const name = UNQUOTED_PROJECT.exec(script.replaceAll(QUOTED, '""'))?.[1];
  if (name === undefined) return undefined;
  return `the project's path has characters that a shell splits or expands: write "$${name}_PROJECT_DIR" in double quotes`;
}
