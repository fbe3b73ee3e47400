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
  return `# The gates that a change must pass before an agent may stop.
# "agent-gauntlet run" runs them, and "agent-gauntlet validate" checks this file.

# The branch that the work is compared with. Gates run on the files that have changed since.
${stringify({ base_branch: baseBranch })}
# The folder of the logs. Git ignores it.
log_dir: gauntlet_logs

entry_points:
  - path: .
    checks:
      # Each is a file in .gauntlet/checks. Add your linter, type checker and tests.
      - conflict-markers
`;
}

const CHECK = `# An example for every repository: it fails if a merge conflict is unresolved.
# A check passes if its command exits with 0. If it fails, the agent reads its output.
# To add a check, add a file beside this one, such as test.yml with one line: "command: npm test".
command: |
  if git grep --untracked -I --line-number --extended-regexp '^(<{7}|>{7})( |$)'; then
    echo 'These lines are markers of a merge conflict: resolve it.'
    exit 1
  fi
parallel: true
`;
