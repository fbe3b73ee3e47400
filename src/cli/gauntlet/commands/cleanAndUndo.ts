/**
 * `mux-stop-hooks clean` and `undo-fix`: archive the logs and the state of earlier runs, and restore the files that the
 * last fix changed. Both work without a valid configuration (G18, G24, G35).
 */
import { posix } from "node:path";
import { EXIT, interruptible, printError, type CliContext, type ExitCode } from "@/cli/context";
import * as projects from "@/cli/gauntlet/project";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { findNote } from "@/node/services/gauntlet/turn/TurnStore";
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";
import { lockHeld, RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { undoFix, type UndoneFix } from "@/node/services/gauntlet/run/fixes/fixHistory";
import { cleanByHand, type Cleaned } from "@/node/services/gauntlet/run/logs/cleanLogs";
import { describeLock, type LockEntry, RunLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";

/** Runs `clean`: moves files of earlier runs to an archive, so that the next run starts again. */
export async function clean(options: projects.PlaceOption, context: CliContext): Promise<ExitCode> {
  return await changeFiles(options, context, async ({ runtime, dir, logDir }) => {
    const cleaned = await cleanByHand(runtime, { projectDir: dir, logDir }, new Date());
    if (cleaned.isErr()) {
      if (cleaned.error.kind !== "failed") return printHeld(cleaned.error, context);
      const { path, message } = cleaned.error.failure;
      return printError(context, `${visible(path)} cannot be moved: ${message}`);
    }
    context.stdout.write(describeCleaned(cleaned.value));
    return EXIT.ok;
  });
}

/** Runs `undo-fix`: restores the files that the last fix changed. */
export async function undoLastFix(
  options: projects.PlaceOption,
  context: CliContext
): Promise<ExitCode> {
  return await changeFiles(options, context, async ({ runtime, dir, logDir }) => {
    const gitDir = await findGitDir(runtime, dir);
    if (gitDir === undefined) {
      context.stdout.write(NOTHING_TO_UNDO);
      return EXIT.ok;
    }
    const identity = await currentProcess(runtime.host);
    const locked = await RunLock.acquire(runtime, logDir, identity, new Date());
    if (locked.isErr()) {
      if (locked.error.kind !== "failed") return printHeld(locked.error, context);
      return printError(context, locked.error.failure.message);
    }
    try {
      const undone = await undoFix({ runtime, projectDir: dir, gitDir });
      if (undone.isErr())
        return printError(context, `the files could not be restored: ${undone.error.message}`);
      context.stdout.write(describeUndone(undone.value));
      return EXIT.ok;
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
  context: CliContext,
  act: (place: projects.LogPlace) => Promise<ExitCode>
): Promise<ExitCode> {
  const actIn = (place: projects.LogPlace) => interruptible(context, () => act(place));
  const inProject = async ({ runtime, dir }: projects.Project): Promise<ExitCode> => {
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

function printHeld(
  { holder, path }: { readonly holder: LockEntry; readonly path: string },
  { stderr }: CliContext
): ExitCode {
  stderr.write(`${RUN_IN_PROGRESS}\n      ${lockHeld(describeLock(holder), visible(path))}\n`);
  return EXIT.failure;
}

function describeCleaned({ names, to, dropped, kept }: Cleaned): string {
  const files = [...names].sort().map((name) => `  - ${visible(posix.normalize(name))}\n`);
  const moved =
    names.length === 0
      ? `There is nothing to clean.\n`
      : `Moved ${plural(names.length, "file")} to ${visible(to)}:\n${files.join("")}`;
  return [
    moved,
    ...dropped.map(
      (id) => `Dropped: ${visible(id)} failed earlier; this failure no longer counts.\n`
    ),
    ...kept.map(
      (id) =>
        `Kept unresolved: ${visible(id)} failed in a turn that is still running; fix it, or run "${ownCommand()} clean" again after the turn.\n`
    ),
  ].join("");
}

const NOTHING_TO_UNDO = "There is no fix to undo.\n";

function describeUndone(undone: UndoneFix | undefined): string {
  if (undone === undefined) return NOTHING_TO_UNDO;
  const { restored, changedSince, replaced } = undone;
  if (restored.length + changedSince.length === 0) return NOTHING_TO_UNDO;
  const list = (title: string, files: readonly string[]): string[] =>
    files.length === 0 ? [] : [title, ...files.map((file) => `  - ${visible(file)}`)];
  const were = changedSince.length === 1 ? "it was" : "they were";
  const lines = [
    ...list(`Restored ${plural(restored.length, "file")}:`, restored),
    ...list(`Not restored, because ${were} changed after the fix:`, changedSince),
    ...replaced.map(
      (folder) =>
        `A fix was interrupted, so these files may have had later edits. What they had before they were restored is in ${visible(folder)}.`
    ),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
