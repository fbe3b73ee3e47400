/** The initial configuration of a project: small, valid, and with one check that works anywhere. */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { stringify } from "yaml";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { CONFIG_FILE, CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";

const DEFAULT_BASE = "origin/main";
const CHECK_FILE = `${CONFIG_FOLDER}/checks/conflict-markers.yml`;
/** The mode that any program would use: the files are for the whole team, and the user's umask decides. */
export const SHARED_MODE = 0o666;

export interface WrittenConfig {
  /** Whether every gate in it was written by this call. A check of that name may have existed already. */
  readonly isAllOurs: boolean;
}

/**
 * Writes the configuration without overwriting files. The check is written first, so that even after an interruption no
 * configuration names a missing check.
 */
export async function writeFirstConfig(
  files: Files,
  projectDir: string,
  baseBranch = DEFAULT_BASE
): Promise<Result<WrittenConfig, FileFailure>> {
  const options = { mode: SHARED_MODE };
  const check = await files.createFile(posix.join(projectDir, CHECK_FILE), CHECK, options);
  if (check.isErr() && check.error.code !== "EEXIST") return err(check.error);
  const path = posix.join(projectDir, CONFIG_FILE);
  const config = await files.createFile(path, configText(baseBranch), options);
  return config.andThen(() => ok({ isAllOurs: check.isOk() }));
}

function configText(baseBranch: string): string {
  return `# What a change has to pass before an agent may stop.
# "agent-gauntlet run" runs it, "agent-gauntlet validate" looks for mistakes in this file.

# What the work is compared with: gates run where something has changed since.
${stringify({ base_branch: baseBranch })}
# Logs of the runs, kept out of git.
log_dir: gauntlet_logs

entry_points:
  - path: .
    checks:
      # Each is a file in .gauntlet/checks. Your linter, type checker and tests belong here.
      - conflict-markers
`;
}

const CHECK = `# An example that works in every repository: no merge conflict may be left unresolved.
# A check passes when its command exits with 0. What it prints is what the agent reads to mend it.
# A check of your own is a file beside this one, such as test.yml with one line: "command: npm test".
command: |
  if git grep --untracked -I --line-number --extended-regexp '^(<{7}|>{7})( |$)'; then
    echo 'These lines are left over from a merge: resolve the conflict.'
    exit 1
  fi
parallel: true
`;
