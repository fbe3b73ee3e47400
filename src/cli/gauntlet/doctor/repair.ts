/** Makes the edits of `doctor --fix`: those that `init` would make for hooks whose command does not start, and others. */
import { type CliContext, printError } from "@/cli/context";
import { nameIn } from "@/cli/gauntlet/doctor/report";
import { describeExposure } from "@/cli/gauntlet/init/hooks/exposure";
import { ensureCopy } from "@/cli/gauntlet/init/hooks/ownCopy";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import { editSettings, type SettingsEdit } from "@/cli/settingsText";
import { updating } from "@/cli/gauntlet/messages/shared";

/** Prints each file that it changes. Returns whether every edit was made. */
export async function makeRepairs(
  edits: readonly SettingsEdit[],
  place: InitPlace,
  context: CliContext
): Promise<boolean> {
  const print = (line: string): unknown => context.stdout.write(`${line}\n`);
  const written: SettingsEdit[] = [];
  if (edits.length === 0) print("--fix found nothing to update.");
  for (const [i, edit] of edits.entries()) {
    const isFirst = edits.findIndex(({ path }) => path === edit.path) === i;
    if (isFirst) print(updating(nameIn(place, edit.path)));
    const copied = await ensureCopy(place, [edit.path]);
    const edited = copied.isErr()
      ? copied
      : await editSettings(place.runtime, edit, place.projectDir);
    if (edited.isOk()) written.push(edit);
    else printError(context, `${edited.error}; the hook was not updated`);
  }
  for (const line of await describeExposure(place, written)) print(line);
  print("");
  return written.length === edits.length;
}
