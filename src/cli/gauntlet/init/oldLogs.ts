/** The lines with the default log folder that an earlier `init` wrote: they keep files of runs where tools read them (G29). */
import { ok } from "neverthrow";
import { REPORT_PATH } from "@/cli/gauntlet/init/detect/reports";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import type { SettingsEdit } from "@/cli/settingsText";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { readConfigFiles } from "@/node/services/gauntlet/config/configFiles";

const LOG_DIR = /^# The folder of the logs\. Git ignores it\.\nlog_dir: gauntlet_logs\n\n?/m;
const REPORT = /^findings: junit:gauntlet_logs\/[\w-]+\.junit\.xml$/m;
/** Not in quotes, in which the new text would need others. */
const COMMAND =
  /^command: (?!["'|>])(?:mkdir -p gauntlet_logs && )?(.*=)gauntlet_logs\/[\w-]+\.junit\.xml$/m;

/** Returns the edits that remove these lines. A line that a person edited stays. */
export async function oldLogEdits({ runtime, projectDir }: InitPlace): Promise<SettingsEdit[]> {
  const { config, checks } = await readConfigFiles(runtime, projectDir, new DiagnosticList());
  return [config, ...checks.map(({ source }) => source)].flatMap((source) =>
    source === undefined || withoutOldLogs(source.text) === source.text
      ? []
      : [{ path: source.file, isShared: true, edit: (_, text) => ok(withoutOldLogs(text)) }]
  );
}

function withoutOldLogs(text: string): string {
  const isReport = REPORT.test(text) && COMMAND.test(text);
  const checked = isReport
    ? text
        .replace(COMMAND, (_, start: string) => `command: ${start}${REPORT_PATH}`)
        .replace(REPORT, "findings: junit")
    : text;
  return checked.replace(LOG_DIR, "");
}
