/**
 * `mux-stop-hooks pause` and `resume`: turn the Stop hook, or only some gates, off for some turns or minutes, and on
 * again. Only a person may pause; an agent may resume (G42).
 */
import { shownCommand, workspaceFlag } from "@/common/ownCommandName";
import { type CliContext, type ExitCode, printError, printLine } from "@/cli/context";
import { whyNotForPerson } from "@/cli/gauntlet/personOnly";
import { withProject, type PlaceOption, type Project } from "@/cli/gauntlet/project";
import { visible } from "@/common/safeText";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { describePause, pausedGates } from "@/node/services/gauntlet/messages/shared";
import { selectGates } from "@/node/services/gauntlet/run/runOptions";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import * as pauses from "@/node/services/gauntlet/turn/pauseRecord";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

interface PauseOptions extends PlaceOption {
  /** 1 by default. Without effect if `minutes` is set. */
  readonly turns?: number;
  readonly minutes?: number;
  readonly reason?: string;
  /** Names of the only gates that do not run. */
  readonly gate?: readonly string[];
}

/** Records a pause. Refuses if an agent could have started the command. */
export async function pause(options: PauseOptions, context: CliContext): Promise<ExitCode> {
  const refusal = whyNotForPerson("pause", context);
  if (refusal !== undefined) return printError(context, refusal);
  return await inGitFolder(options, context, async (store, { runtime, dir }) => {
    const { env } = context;
    const loaded =
      options.gate === undefined ? undefined : await loadGauntletConfig(runtime, dir, { env });
    if (loaded?.kind === "valid") {
      const gates = selectGates(loaded.config, { gates: options.gate }, env);
      if (gates.isErr()) return printError(context, gates.error);
    }
    const { turns = 1, minutes, reason = "", gate } = options;
    const now = new Date();
    const made: pauses.Pause = {
      projectDir: dir,
      since: now.toISOString(),
      turns: minutes === undefined ? turns : 0,
      seen: [],
      until: minutes ? new Date(now.getTime() + minutes * 60_000).toISOString() : undefined,
      reason: reason.trim().slice(0, pauses.MAX_PAUSE_REASON_CHARS) || undefined,
      gates: gate,
    };
    const written = await store.write("pauses", hashKey(dir), made);
    if (written.isErr()) return printError(context, notChanged(written.error));
    return printLine(
      context,
      `Paused ${pausedGates(made)}${describePause(made)}. Each stop in the pause says so. To end the pause, run "${shownCommand()} resume${workspaceFlag(runtime, dir)}".`
    );
  });
}

/** Ends a pause. An agent may do this too, because more is verified then. */
export async function resume(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  return await inGitFolder(options, context, async (store, { dir }) => {
    const found = await store.read("pauses", hashKey(dir));
    const removed = await store.remove("pauses", hashKey(dir));
    if (removed.isErr()) return printError(context, notChanged(removed.error));
    // A pause of turns includes the whole last one, and the first stop after it removes the record.
    const wasPaused =
      found !== undefined && (found.until === undefined || !pauses.isOver(found, new Date()));
    const ended = "The pause has ended. The next stop runs the gates.";
    return printLine(context, wasPaused ? ended : "There was no pause.");
  });
}

/** Runs an action with the records in the git folder of the project. */
async function inGitFolder(
  options: PlaceOption,
  context: CliContext,
  act: (store: TurnStore, project: Project) => Promise<ExitCode>
): Promise<ExitCode> {
  const actIn = async (project: Project): Promise<ExitCode> => {
    const gitDir = await findGitDir(project.runtime, project.dir);
    if (gitDir === undefined)
      return printError(
        context,
        "a pause needs a git repository, in whose .git folder it is recorded"
      );
    return await act(new TurnStore(project.runtime, gitDir), project);
  };
  return await withProject(context, actIn, options);
}

function notChanged({ path, message }: { path: string; message: string }): string {
  return `${visible(path)} cannot be changed: ${message}`;
}
