/**
 * `mux-stop-hooks clean` archives the logs and the state of earlier runs, except the failures of a turn that is still
 * running; `undo-fix` restores the files that the last fix changed. Both work without a valid configuration, and fail
 * while a run is in progress (G18, G24, G35).
 */
import { posix } from "node:path";
import * as cli from "@/cli/context";
import * as projects from "@/cli/gauntlet/project";
import type { FileFailure } from "@/node/runtime/HookRuntime";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { findNote } from "@/node/services/gauntlet/turn/TurnStore";
import { shownCommand } from "@/common/ownCommandName";
import { plural, visible } from "@/common/safeText";
import { lockHeld, RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { undoFix, type UndoneFix } from "@/node/services/gauntlet/run/fixes/undoHistory";
import { cleanByHand, type Cleaned } from "@/node/services/gauntlet/run/logs/cleanLogs";
import * as locks from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";

/** Runs `clean`: moves files of earlier runs to an archive, so that the next run starts again. */
export async function clean(
  options: projects.PlaceOption,
  context: cli.CliContext
): Promise<cli.ExitCode> {
  return await changeFiles(options, context, async ({ runtime, dir, logDir }) => {
    const cleaned = await cleanByHand(runtime, { projectDir: dir, logDir }, new Date());
    const describe = ({ path, message }: FileFailure) =>
      `${visible(path)} cannot be moved: ${message}`;
    if (cleaned.isErr()) return printLocked(cleaned.error, describe, context);
    return cli.printLine(context, describeCleaned(cleaned.value).join("\n"));
  });
}

/** Runs `undo-fix`: restores the files that the last fix changed. */
export async function undoLastFix(
  options: projects.PlaceOption,
  context: cli.CliContext
): Promise<cli.ExitCode> {
  return await changeFiles(options, context, async ({ runtime, dir, logDir }) => {
    const gitDir = await findGitDir(runtime, dir);
    if (gitDir === undefined) return cli.printLine(context, NOTHING_TO_UNDO);
    const identity = await currentProcess(runtime.host);
    const locked = await locks.RunLock.acquire(runtime, logDir, identity, new Date());
    if (locked.isErr()) return printLocked(locked.error, ({ message }) => message, context);
    try {
      const undone = await undoFix({ runtime, projectDir: dir, gitDir });
      if (undone.isErr())
        return cli.printError(context, `the files could not be restored: ${undone.error.message}`);
      return cli.printLine(context, describeUndone(undone.value));
    } finally {
      await locked.value.release();
    }
  });
}

/**
 * Runs an action with the project and its log folder. Without a valid configuration, these come from the note of the
 * last failure if there is one. The action takes little time, so a signal waits for its end: no lock is left behind.
 */
async function changeFiles(
  options: projects.PlaceOption,
  context: cli.CliContext,
  act: (place: projects.LogPlace) => Promise<cli.ExitCode>
): Promise<cli.ExitCode> {
  const actIn = (place: projects.LogPlace) => cli.interruptible(context, () => act(place));
  const inProject = async ({ runtime, dir }: projects.Project): Promise<cli.ExitCode> => {
    const loaded = await loadGauntletConfig(runtime, dir, { env: context.env });
    const note = loaded.kind === "valid" ? undefined : await findNote(runtime, dir);
    const logDir = note?.logDir ?? (await logDirOf(runtime, dir, projects.logConfigOf(loaded)));
    return await actIn({ runtime, dir, logDir });
  };
  return await projects.withProject(context, inProject, options, async (folder) => {
    const { runtime, dir } = folder;
    const note = await findNote(runtime, dir);
    if (note === undefined) return projects.printNoProject(context, folder);
    return await actIn({ runtime, dir: note.projectDir, logDir: note.logDir });
  });
}

/** Prints which process holds the lock, or why a file cannot be used. */
function printLocked(
  error: locks.LockFailure,
  describe: (failure: FileFailure) => string,
  context: cli.CliContext
): cli.ExitCode {
  if (error.kind === "failed") return cli.printError(context, describe(error.failure));
  const held = lockHeld(locks.describeLock(error.holder), visible(error.path));
  context.stderr.write(`${RUN_IN_PROGRESS}\n      ${held}\n`);
  return cli.EXIT.failure;
}

function describeCleaned({ names, to, dropped, kept }: Cleaned): string[] {
  const files = [...names].sort().map((name) => `  - ${visible(posix.normalize(name))}`);
  return [
    names.length === 0
      ? "There is nothing to clean."
      : `Moved ${plural(names.length, "file")} to ${visible(to)}:`,
    ...files,
    ...dropped.map(
      (id) => `Dropped: ${visible(id)} failed earlier; this failure no longer counts.`
    ),
    ...kept.map(
      (id) =>
        `Kept unresolved: ${visible(id)} failed in a turn that is still running; fix it, or run "${shownCommand()} clean" again after the turn.`
    ),
  ];
}

const NOTHING_TO_UNDO = "There is no fix to undo.";

function describeUndone(undone: UndoneFix | undefined): string {
  if (undone === undefined) return NOTHING_TO_UNDO;
  const { restored, changedSince, replaced } = undone;
  if (restored.length + changedSince.length === 0) return NOTHING_TO_UNDO;
  const list = (title: string, files: readonly string[]): string[] =>
    files.length === 0 ? [] : [title, ...files.map((file) => `  - ${visible(file)}`)];
  const were = changedSince.length === 1 ? "it was" : "they were";
  return [
    ...list(`Restored ${plural(restored.length, "file")}:`, restored),
    ...list(`Not restored, because ${were} changed after the fix:`, changedSince),
    ...replaced.map(
      (folder) =>
        `A fix was interrupted, so these files may have had later edits. What they had before they were restored is in ${visible(folder)}.`
    ),
  ].join("\n");
}
