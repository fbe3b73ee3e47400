/**
 * `mux-stop-hooks uninstall`: removes the hooks and notes of `init`, and git's pre-push hook (G29), but never
 * `.gauntlet` or the CI workflow. Removes hooks that serve all projects, and logs and records, only if the user agrees.
 * Agents are refused.
 */
import { rm, rmdir } from "node:fs/promises";
import { posix } from "node:path";
import { type CliContext, EXIT, isAtTerminal, type ExitCode, printError } from "@/cli/context";
import { logConfigOf, runningRun } from "@/cli/gauntlet/project";
import { GIT } from "@/cli/gauntlet/options";
import { noteRemovals } from "@/cli/gauntlet/init/agentNote";
import { installedHook } from "@/cli/gauntlet/init/hooks/gitHook";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { findInitPlace, type InitPlace } from "@/cli/gauntlet/init/targetProject";
import { planRemoval } from "@/cli/gauntlet/init/hooks/planHook";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/hooks/hookTrust";
import { whyNotForAgents } from "@/cli/gauntlet/personOnly";
import { pathForUser } from "@/cli/render/formatText";
import { editSettings, isOwnFile, readSettingsText, type SettingsEdit } from "@/cli/settingsFile";
import { confirm } from "@/cli/render/confirm";
import { describeError } from "@/common/errors";
import { runInProgress, trustedAsWritten, updating } from "@/cli/gauntlet/messages/shared";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { findGitDir, turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { forgetHooks } from "@/node/services/gauntlet/turn/recordTurnStart";

/**
 * Runs `uninstall`.
 *
 * @param options.hook removes only the hooks of these hosts; those of all hosts if absent
 * @param options.yes removes also what other projects use, and the records, without a question
 */
export async function uninstall(
  { hook, yes = false }: { readonly hook?: readonly string[]; readonly yes?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const refusal = whyNotForAgents("uninstall", context);
  if (refusal !== undefined) return printError(context, refusal);
  const place = await findInitPlace(context);
  const { runtime, projectDir } = place;
  const removal = new Removal(place, context, yes);
  for (const host of HOOK_HOSTS) {
    if (hook?.includes(host.name) !== false) await removal.remove(host);
  }
  const gitHook = hook?.includes(GIT) === false ? undefined : await installedHook(place);
  if (gitHook !== undefined) await removal.removeFrom(gitHook.removal);
  const notes = hook === undefined ? await noteRemovals(place) : [];
  for (const note of notes) await removal.removeFrom(note);
  const gitDir = await findGitDir(runtime, projectDir);
  // A person removed the hooks, so their absence is not worth a message.
  if (gitDir !== undefined) await forgetHooks(new TurnStore(runtime, gitDir));
  if (hook === undefined) await removal.removeRecords(gitDir);
  return removal.finish();
}

/** Removes the hooks of one host after the other, and prints each file. */
class Removal {
  #code: ExitCode = EXIT.ok;
  #isEmpty = true;

  constructor(
    private readonly place: InitPlace,
    private readonly context: CliContext,
    private readonly isConfirmed: boolean
  ) {}

  async remove(host: HookHost): Promise<void> {
    const { removals: found, others, problems } = await planRemoval(host, this.place);
    const removals = await this.#withoutOthers(found);
    const wasTrusted = host.name === "mux" && removals.length > 0 && (await isTrusted(this.place));
    for (const removal of removals) await this.removeFrom(removal);
    // Otherwise the recorded hooks would continue to run until the user trusts the change.
    const recorded = wasTrusted ? await trustAsWritten(this.place, new Date()) : undefined;
    if (recorded?.isErr() === true) this.#fail(recorded.error);
    if (recorded?.isOk() === true) this.#print(trustedAsWritten(this.#nameOf(recorded.value)));
    for (const other of others) {
      this.#print(
        `${this.#nameOf(other)} also runs the gauntlet, but init did not write this hook, or you edited it. It was not changed; to remove it, edit the file.`
      );
    }
    for (const problem of problems) this.#fail(problem);
  }

  finish(): ExitCode {
    if (this.#isEmpty) this.#print("No hook that init wrote was found.");
    return this.#code;
  }

  /** Names what the gauntlet has left in the project, and removes its own records if the user agrees. */
  async removeRecords(gitDir: string | undefined): Promise<void> {
    const { runtime, projectDir } = this.place;
    const loaded = await loadGauntletConfig(runtime, projectDir);
    const logDir = await logDirOf(runtime, projectDir, logConfigOf(loaded));
    const isInGit = gitDir !== undefined && logDir.startsWith(`${gitDir}/`);
    const config = posix.join(projectDir, CONFIG_FOLDER);
    const records = gitDir === undefined ? [] : await this.#recordsIn(gitDir, logDir);
    const places = [config, logDir, ...records];
    const stats = await runtime.stat(places);
    const existing = places.filter((_, i) => stats[i]?.kind !== "missing");
    // A folder of the project may have other files.
    const isKept = (path: string): boolean => path === config || (path === logDir && !isInGit);
    for (const path of existing.filter(isKept)) {
      const why = path === config ? "it may be of a team" : "it may have other files";
      this.#print(`${this.#nameOf(path)} stays, because ${why}; to remove it, delete the folder.`);
    }
    const own = existing.filter((path) => !isKept(path));
    const left = own.filter((path) => !own.some((outer) => path.startsWith(`${outer}/`)));
    if (left.length === 0) return;
    const names = left.map((path) => this.#nameOf(path)).join(", ");
    if (!(await this.#agrees(`Remove the logs and records in ${names}?`))) {
      this.#print(`The logs and records stay: ${names}; to remove them, add --yes.`);
      return;
    }
    const running = await runningRun({ runtime, dir: projectDir, logDir });
    if (running !== undefined) {
      this.#fail(runInProgress(running));
      return;
    }
    const removed = await Promise.allSettled(
      left.map((path) => rm(path, { recursive: true, force: true }))
    );
    if (removed.every(({ status }) => status === "fulfilled")) this.#print(`Removed ${names}.`);
    for (const end of removed) if (end.status === "rejected") this.#fail(describeError(end.reason));
  }

  /** Returns the folder of all records, or only those of this project if others have their logs there. */
  async #recordsIn(gitDir: string, logDir: string): Promise<string[]> {
    const { runtime, projectDir } = this.place;
    const record = `${hashKey(projectDir)}.json`;
    const listed = async (...folder: string[]) =>
      (await runtime.list(turnPath(gitDir, ...folder))).unwrapOr([]);
    const logs = (await listed()).filter((name) => /^logs(?:-|$)/.test(name));
    const records = [...(await listed("failed")), ...(await listed("pauses"))];
    const areOwn = logs.every((name) => name === posix.basename(logDir));
    if (areOwn && records.every((name) => name === record)) return [turnPath(gitDir)];
    return [turnPath(gitDir, "failed", record), turnPath(gitDir, "pauses", record)];
  }

  /** Leaves out files outside of the project, whose hook serves other projects too, unless the user agrees. */
  async #withoutOthers(removals: readonly SettingsEdit[]): Promise<SettingsEdit[]> {
    const { projectDir, home } = this.place;
    const isShared = ({ path }: SettingsEdit): boolean =>
      projectDir !== home && !path.startsWith(`${projectDir}/`);
    const shared = removals.filter(isShared);
    if (shared.length === 0) return [...removals];
    const names = shared.map(({ path }) => this.#nameOf(path)).join(", ");
    if (await this.#agrees(`The hook in ${names} serves all your projects. Remove it?`)) {
      return [...removals];
    }
    this.#isEmpty = false;
    this.#print(
      `The hook in ${names} stays, because it serves all your projects; to remove it, add --yes.`
    );
    return removals.filter((removal) => !isShared(removal));
  }

  async #agrees(question: string): Promise<boolean> {
    if (this.isConfirmed) return true;
    return isAtTerminal(this.context) && (await confirm(question, this.context));
  }

  async removeFrom(removal: SettingsEdit): Promise<void> {
    this.#isEmpty = false;
    const name = this.#nameOf(removal.path);
    const isRemoved = await isFileRemoved(this.place, removal);
    this.#print(isRemoved ? `Removing ${name}...` : updating(name));
    const { runtime, projectDir } = this.place;
    const edited = await editSettings(runtime, removal, projectDir);
    if (edited.isErr()) {
      this.#fail(edited.error);
      return;
    }
    const [stat] = await runtime.stat([removal.path]);
    if (stat?.kind === "missing") {
      await removeEmptyFolders(this.place, posix.dirname(removal.path));
    }
  }

  #nameOf(path: string): string {
    return pathForUser(path, this.context);
  }

  #print(line: string): void {
    this.context.stdout.write(`${line}\n`);
  }

  #fail(problem: string): void {
    this.#code = printError(this.context, problem);
  }
}

/** Returns whether the change leaves no content in the file, so that it is removed. */
async function isFileRemoved(place: InitPlace, removal: SettingsEdit): Promise<boolean> {
  const { path, edit, isRemovable } = removal;
  const text = (await readSettingsText(place.runtime, path)).unwrapOr(undefined);
  const edited = text === undefined ? undefined : edit(path, text).unwrapOr(undefined);
  if (edited === undefined || isRemovable?.(edited) !== true) return false;
  return await isOwnFile(path);
}

/** Removes the folder if it is empty, and then the one around it, up to the project or the home. */
async function removeEmptyFolders(place: InitPlace, folder: string): Promise<void> {
  const roots = [place.projectDir, place.home];
  if (roots.includes(folder) || !roots.some((root) => folder.startsWith(`${root}/`))) return;
  try {
    // Fails if the folder has entries or is a link.
    await rmdir(folder);
  } catch {
    return;
  }
  await removeEmptyFolders(place, posix.dirname(folder));
}
