/** `mux-stop-hooks undo-fix`: restores the files that the last fix changed (G35). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { printError } from "@/cli/render/printError";
import { withPutAwayPlace, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { visible, plural } from "@/common/text";
import { RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { lockHeld } from "@/node/services/gauntlet/messages/run";
import { undoFix, type UndoneFix } from "@/node/services/gauntlet/run/fixes/fixHistory";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { RunLock } from "@/node/services/gauntlet/state/lock/RunLock";

const NOTHING_TO_UNDO = "There is no fix to undo.";

export async function undoFixCommand(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  // Restoring takes little time, so a signal waits for its end, and no lock is left behind.
  return await withPutAwayPlace(
    context,
    (project) => interruptible(context, () => restore(project, context)),
    options
  );
}

async function restore(
  { runtime, dir, logDir }: Omit<ConfiguredProject, "config">,
  context: CliContext
): Promise<ExitCode> {
  const gitDir = await findGitDir(runtime, dir);
  if (gitDir === undefined) return nothingToUndo(context);
  const identity = await currentProcess(runtime.host);
  const locked = await RunLock.acquire(runtime, logDir, identity, new Date());
  if (locked.isErr()) {
    const failure = locked.error;
    if (failure.kind === "failed") return printError(context, failure.failure.message);
    const who = lockHeld(describeLock(failure.holder), visible(failure.path));
    context.stderr.write(`${RUN_IN_PROGRESS}\n      ${who}\n`);
    return EXIT.failure;
  }
  try {
    const undone = await undoFix({ runtime, projectDir: dir, gitDir });
    if (undone.isErr())
      return printError(context, `the files could not be restored: ${undone.error.message}`);
    if (undone.value === undefined) return nothingToUndo(context);
    context.stdout.write(describe(undone.value));
    return EXIT.ok;
  } finally {
    await locked.value.release();
  }
}

function nothingToUndo(context: CliContext): ExitCode {
  context.stdout.write(`${NOTHING_TO_UNDO}\n`);
  return EXIT.ok;
}

function describe({ restored, changedSince, replaced }: UndoneFix): string {
  if (restored.length + changedSince.length === 0) return `${NOTHING_TO_UNDO}\n`;
  const lines = [
    ...(restored.length === 0
      ? []
      : [`Restored ${plural(restored.length, "file")}:`, ...restored.map(item)]),
    ...(changedSince.length === 0
      ? []
      : [
          `Not restored, because ${changedSince.length === 1 ? "it was" : "they were"} changed after the fix:`,
          ...changedSince.map(item),
        ]),
    ...replaced.map(
      (folder) =>
        `A fix was interrupted, so these files may have had later edits. What they had before they were restored is in ${visible(folder)}.`
    ),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function item(file: string): string {
  return `  - ${visible(file)}`;
}
