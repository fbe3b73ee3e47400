/**
 * Finds a Stop hook that was removed since a turn began, or whose program has vanished, and returns the message that
 * `run` and `status` print. Starts no process, and examines no remote project.
 */
import type { CliContext } from "@/cli/context";
import { INSTALL_DEPENDENCIES, nameIn, runFix } from "@/cli/gauntlet/doctor/finding";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { readLayers } from "@/cli/gauntlet/init/hooks/readHostFiles";
import type { Project } from "@/cli/gauntlet/project";
import { visible } from "@/common/safeText";
import { hookRemoved } from "@/node/services/gauntlet/messages/shared";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import { fileWithoutHook } from "@/node/services/gauntlet/turn/recordTurnStart";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/** A hook that names the program without its path needs no file that could be missing. */
const NAMES_A_PATH = /agent-gauntlet\.cjs|\/\.bin\/agent-gauntlet|\/opencode\.js/;

/** Returns a message about a hook that was removed since a turn began, or about the first one without a program. */
export async function findVanishedHook(
  { runtime, dir: projectDir }: Project,
  { env, home, program }: CliContext
): Promise<string | undefined> {
  // The user's settings are on this machine, but the runtime of a remote project reads the other one.
  if (runtime.isRemote) return undefined;
  const gitDir = await findGitDir(runtime, projectDir);
  const store = gitDir === undefined ? undefined : new TurnStore(runtime, gitDir);
  const [newest = ""] = (await store?.keys("turns")) ?? [];
  const [turn, gates] = [await store?.read("turns", newest), await store?.read("gates", newest)];
  // The project may have been in another folder when the turn began.
  const isMoved = gates !== undefined && gates.projectDir !== projectDir;
  const unhooked = isMoved ? undefined : await fileWithoutHook(runtime, turn?.hooks ?? []);
  if (unhooked) return hookRemoved(visible(unhooked));
  const place = { runtime, projectDir, env, home, program };
  const hosts = HOOK_HOSTS.filter(({ install }) => install.engine?.findAll === undefined);
  const files = await Promise.all(hosts.map((host) => readLayers(host, place)));
  // Loading the parsers takes longer than reading the files.
  if (!files.flat().some(({ source }) => NAMES_A_PATH.test(source))) return undefined;
  const { InstalledHooks } = await import("@/cli/gauntlet/init/hooks/InstalledHooks");
  const all = await Promise.all(hosts.map((host, i) => InstalledHooks.read(host, place, files[i])));
  for (const { host, hooks } of all) {
    const { at = "", missing } = hooks.find((hook) => hook.missing !== undefined) ?? {};
    if (missing === undefined) continue;
    const isOfInstallation = missing.startsWith(`${projectDir}/node_modules/`);
    const next = isOfInstallation ? INSTALL_DEPENDENCIES : runFix();
    return `the Stop hook of ${host.install.title} in ${nameIn(place, at)} does not start: ${nameIn(place, missing)} does not exist; ${next}`;
  }
  return undefined;
}
