/**
 * Detects failures that only look like a verdict. Many programs exit with 2 if they cannot do their work at all (H19a),
 * and others find no file because the shell split an unquoted path (H15).
 */
import { createHash } from "node:crypto";

/** Texts that common programs print on stderr if they cannot run the check at all. */
const PHRASES = [
  "Can't open perl script",
  "can't cd to", // cd missing, under dash
  "No such file or directory",
  "command not found",
];
const CASELESS_PHRASES = [
  "syntax error", // bash, dash
  "unexpected eof",
  "unexpected end of file",
  ...["invalid", "illegal", "unrecognized", "unknown"].map((word) => `${word} option`),
];
const MAKE_FAILED = /^make(?:\[\d+\])?: \*\*\*/;

/** Returns an identifier of the launch failure if stderr looks like one. Equal identifiers mean the same failure. */
export function launchFailureOf(hookName: string, stderr: string): string | undefined {
  if (!isLaunchFailure(stderr)) return undefined;
  const text = `${hookName}\0${stderr.trim()}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Searches for each text once, so that the time is linear in the length (H20a). */
function isLaunchFailure(stderr: string): boolean {
  const lower = stderr.toLowerCase();
  if (PHRASES.some((phrase) => stderr.includes(phrase))) return true;
  if (CASELESS_PHRASES.some((phrase) => lower.includes(phrase))) return true;
  const lines = stderr.split("\n");
  return isArgparseError(lines) || lines.some(isFailedLine);
}

function isFailedLine(line: string): boolean {
  return (
    line.endsWith(": not found") ||
    MAKE_FAILED.test(line) ||
    hasInOrder(line, "can't open file ", "[Errno ") || // python3 missing.py
    hasInOrder(line.toLowerCase(), "cannot open ", "no such file") // sh missing.sh
  );
}

function hasInOrder(line: string, first: string, second: string): boolean {
  const at = line.indexOf(first);
  return at >= 0 && line.includes(second, at + first.length);
}

/** Returns whether a line begins with `usage: ` and that line or a later one contains `error: `. */
function isArgparseError(lines: readonly string[]): boolean {
  const usage = lines.findIndex((line) => /^[uU]sage: /.test(line));
  return usage >= 0 && lines.slice(usage).some((line) => line.includes("error: "));
}

/** Characters at which a shell splits an unquoted value, or expands it as a pattern. */
const SPLITS = /[\s*?[]/;
/** A quoted string. An unclosed quote reaches to the end, so that no text is read twice. */
const QUOTED = /'[^']*'?|"(?:[^"\\]+|\\.)*"?/gs;
const UNQUOTED_PROJECT = /(?:^|[\s;&|(])\$\{?((?:MUX|CLAUDE)_PROJECT_DIR)\b/;
const UNQUOTED_PLUGIN = /(?:^|[\s;&|(])\$\{?(CLAUDE_PLUGIN_ROOT)\b/;

/** Returns a hint for a command line that failed while the path of the project or of its plugin needs quotes. */
export function quotingHint(
  script: string,
  projectDir: string,
  pluginRoot = ""
): string | undefined {
  const unquoted = script.replaceAll(QUOTED, '""');
  const find = (pattern: RegExp, path: string): string | undefined =>
    SPLITS.test(path) ? pattern.exec(unquoted)?.[1] : undefined;
  const project = find(UNQUOTED_PROJECT, projectDir);
  if (project !== undefined) return pathNotQuoted(project, "project");
  const plugin = find(UNQUOTED_PLUGIN, pluginRoot);
  return plugin === undefined ? undefined : pathNotQuoted(plugin, "plugin");
}

/** @param variable with the path of `owner` */
function pathNotQuoted(variable: string, owner: "project" | "plugin"): string {
  return `the path of the ${owner} has characters that a shell splits or expands; in the command of the hook, write "$${variable}" with the double quotes`;
}
