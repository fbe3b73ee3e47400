/** Examines the configuration of the project, and what the last run found. */
import { good, info, nameIn, problem, type Finding } from "@/cli/gauntlet/doctor/report";
import { examineGitHook } from "@/cli/gauntlet/init/hooks/gitHook";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import { whyNotAsInFiles } from "@/cli/gauntlet/trust/projectGates";
import { reviewAndTrust } from "@/cli/gauntlet/messages/trust";
import { describeRun } from "@/cli/gauntlet/render/lastRun";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { oldLogEdits } from "@/cli/gauntlet/init/oldLogs";
import { oldLogs, lastRun, noRun } from "@/cli/gauntlet/messages/shared";
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

export async function examineGates(place: InitPlace): Promise<Finding[]> {
  const { runtime, projectDir, env, home } = place;
  const loaded = await loadGauntletConfig(runtime, projectDir, { env });
  if (loaded.kind === "none") {
    const text = `this project has no ${CONFIG_FILE}, so the hook checks nothing`;
    return [problem(text, `run "${ownCommand()} init"`)];
  }
  if (loaded.kind === "invalid") {
    const errors = loaded.problems.filter(({ severity }) => severity === "error").length;
    const text = `${CONFIG_FILE} has ${plural(errors, "error")}, so the hook reports an error instead of checking`;
    return [problem(text, `run "${ownCommand()} validate", and correct each error`)];
  }
  const { stopHook: project } = loaded.config;
  const { disabledBy } = await loadStopHookSettings(runtime.host, { env, home, project });
  const untrusted = await whyNotAsInFiles(runtime, projectDir, place);
  const logDir = await logDirOf(runtime, projectDir, loaded.config);
  const { state, warning, lost } = await readState(runtime, logDir);
  const unread = lost?.message ?? warning;
  const found = [
    good(`configuration: ${CONFIG_FILE}`),
    disabledBy !== undefined &&
      problem(
        `the hook is disabled by ${disabledBy}, so it checks nothing`,
        "remove that setting, or set it to true"
      ),
    untrusted !== undefined && problem(untrusted, reviewAndTrust()),
    ...(await examineGitHook(place)),
    ...(await oldLogEdits(place)).map(({ path }) => info(oldLogs(nameIn(place, path)))),
    info(unread ?? (state === undefined ? noRun() : lastRun(describeRun(state)))),
  ];
  return found.filter((finding) => finding !== false);
}
