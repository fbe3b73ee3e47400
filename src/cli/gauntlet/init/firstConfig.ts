/** The initial configuration of a project: the checks that the user selected, or one that works anywhere. */
import { posix } from "node:path";
import { stringify } from "yaml";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { trialComment } from "@/cli/gauntlet/init/trial/describeTrial";
import type { Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import {
  CONFIG_FILE,
  CONFIG_FOLDER,
  EXAMPLE_CHECK,
} from "@/node/services/gauntlet/config/configPaths";

const DEFAULT_BASE = "origin/main";
/** The check of a configuration for which no other check was selected. */
export const EXAMPLE_PATH = posix.join(CONFIG_FOLDER, "checks", `${EXAMPLE_CHECK}.yml`);

export interface FirstCheck extends Pick<
  CheckProposal,
  "name" | "command" | "written" | "report" | "repair" | "kind" | "note"
> {
  readonly reason: string;
  readonly entryPoints: readonly string[];
  /** Absent if it was not tried. */
  readonly trial?: Trial;
}

export interface FirstConfig {
  readonly baseBranch?: string;
  readonly checks: readonly FirstCheck[];
  readonly globalDependencies: readonly string[];
}

/** A new file. */
export interface NewFile {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files of the configuration. The checks come first, so that even after an interruption no configuration
 * names a missing check.
 *
 * @param now the time in the comments about a trial
 */
export function configFiles(config: FirstConfig, now: Date): NewFile[] {
  const isEmpty = config.checks.length === 0;
  const checks = config.checks.map((check) => ({
    path: pathOfCheck(check.name),
    text: checkText(check, now),
  }));
  const example = { path: EXAMPLE_PATH, text: EXAMPLE };
  return [...(isEmpty ? [example] : checks), { path: CONFIG_FILE, text: configText(config) }];
}

function pathOfCheck(name: string): string {
  return posix.join(CONFIG_FOLDER, "checks", `${name}.yml`);
}

function checkText(
  { command, written, report, repair, reason, note, kind, trial }: FirstCheck,
  now: Date
): string {
  const result = trial && trialComment(trial, now);
  const comments = [reason, note, result].filter((line) => line !== undefined);
  // Tests may use the same ports and files, so they run alone.
  const fields = {
    command,
    ...report,
    ...written,
    ...(kind === "test" ? {} : { parallel: true }),
    ...repair,
  };
  return `${comments.map((line) => `# ${line}\n`).join("")}${stringify(fields, { lineWidth: 0 })}`;
}

function configText({
  baseBranch = DEFAULT_BASE,
  checks,
  globalDependencies,
}: FirstConfig): string {
  return `# The gates that a change must pass before an agent may stop.
# "mux-stop-hooks run" runs them, and "mux-stop-hooks validate" checks this file.

# The branch that the work is compared with. Gates run on the files that have changed since.
${stringify({ base_branch: baseBranch })}${globalsText(globalDependencies)}
# Each check is a file in .gauntlet/checks. It runs if a file of its entry point has changed.
${stringify({ entry_points: entryPoints(checks) })}`;
}

function globalsText(globs: readonly string[]): string {
  if (globs.length === 0) return "";
  return `
# A change to one of these files runs the checks of every entry point.
${stringify({ global_dependencies: globs })}`;
}

function entryPoints(checks: readonly FirstCheck[]) {
  const byPath = new Map<string, string[]>();
  for (const { name, entryPoints: paths } of checks) {
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), name]);
  }
  if (byPath.size === 0) byPath.set(".", [EXAMPLE_CHECK]);
  return [...byPath]
    .sort(([a], [b]) => Number(b === ".") - Number(a === "."))
    .map(([path, names]) => ({ path, checks: names }));
}

const EXAMPLE = `# An example for every repository: it fails if a merge conflict is unresolved.
# A check passes if its command exits with 0. If it fails, the agent reads its output.
# To add a check, add a file beside this one, such as test.yml with one line: "command: npm test".
command: |
  if git grep --untracked -I --line-number --extended-regexp '^(<{7}|>{7})( |$)'; then
    echo 'These lines are markers of a merge conflict: resolve it.'
    exit 1
  fi
parallel: true
`;
