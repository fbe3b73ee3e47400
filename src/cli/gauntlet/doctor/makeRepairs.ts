/**
 * Makes the edits of `doctor --fix`, updates the user's copy of this package for them, and warns if git would commit a
 * personal file. Plans one kind of edit, for `init` too: the removal of the default log folder that an earlier `init`
 * wrote to the configuration (G29).
 */
import { type CliContext, printError } from "@/cli/context";
import { nameIn } from "@/cli/gauntlet/doctor/finding";
import { describeExposure } from "@/cli/gauntlet/init/hooks/gitExposure";
import { ensureCopy } from "@/cli/gauntlet/init/hooks/packageCopy";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { editSettings, type SettingsEdit } from "@/cli/settingsFile";
import { updating } from "@/cli/gauntlet/messages/shared";
import { ok } from "neverthrow";
import { REPORT_PATH } from "@/cli/gauntlet/init/detect/improveChecks";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { readConfigFiles } from "@/node/services/gauntlet/config/readConfigFiles";

/** Makes the edits, and prints each file that it changes. Returns whether every edit was made. */
export async function makeRepairs(
  edits: readonly SettingsEdit[],
  place: InitPlace,
  context: CliContext
): Promise<boolean> {
  const print = (line: string): unknown => context.stdout.write(`${line}\n`);
  const written: SettingsEdit[] = [];
  if (edits.length === 0) print("--fix found nothing to update.");
  for (const [i, edit] of edits.entries()) {
    const name = nameIn(place, edit.path);
    if (edits.findIndex(({ path }) => path === edit.path) === i) print(updating(name));
    const copied = await ensureCopy(place, [edit.path]);
    const edited = copied.isErr()
      ? copied
      : await editSettings(place.runtime, edit, place.projectDir);
    if (edited.isOk()) written.push(edit);
    else printError(context, `${edited.error}; ${name} was not updated`);
  }
  for (const line of await describeExposure(place, written)) print(line);
  print("");
  return written.length === edits.length;
}

const LOG_DIR = /^# The folder of the logs\. Git ignores it\.\nlog_dir: gauntlet_logs\n\n?/m;
const REPORT = /^findings: junit:gauntlet_logs\/[\w-]+\.junit\.xml$/m;
/** Does not match a command in quotes, which would need other quotes around the new text. */
const COMMAND =
  /^command: (?!["'|>])(?:mkdir -p gauntlet_logs && )?(.*=)gauntlet_logs\/[\w-]+\.junit\.xml$/m;

/**
 * Returns the edits that remove the lines with the default log folder that an earlier `init` wrote, because formatters
 * and linters read the files of runs there (G29). A line that a person edited stays.
 */
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
