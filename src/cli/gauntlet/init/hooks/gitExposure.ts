/**
 * Describes whether git would commit personal settings, or ignores shared ones, that `init` or `doctor --fix` wrote.
 */
import { posix } from "node:path";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import type { SettingsEdit } from "@/cli/settingsFile";
import * as repository from "@/node/services/gauntlet/change/git/initFacts";

/**
 * Returns warnings about personal files that git does not ignore, and about shared files that it does.
 *
 * @param hide gets the names of the first kind, and returns whether git ignores them now
 */
export async function describeExposure(
  { runtime, projectDir }: InitPlace,
  files: readonly Pick<SettingsEdit, "path" | "isShared">[],
  hide?: (names: readonly string[]) => Promise<boolean>
): Promise<readonly string[]> {
  const namesOf = (shared: boolean): string[] => {
    const chosen = files.filter(({ isShared = false }) => isShared === shared);
    const names = chosen.map(({ path }) => posix.relative(projectDir, path));
    return [...new Set(names)].filter((name) => !name.startsWith("../"));
  };
  const [personal, shared] = [namesOf(false), namesOf(true)];
  const names = [...personal, ...shared];
  if (names.length === 0 || !(await repository.isInRepository(runtime, projectDir))) return [];
  const unignored = await repository.notIgnored(runtime, projectDir, names);
  const inIndex = await repository.tracked(runtime, projectDir, personal);
  const untracked = personal.filter((name) => unignored.includes(name) && !inIndex.includes(name));
  const isHidden = untracked.length > 0 && (await hide?.(untracked)) === true;
  const ignored = shared.filter((name) => !unignored.includes(name));
  const them = (names: readonly string[]): string => (names.length === 1 ? "it" : "them");
  return [
    inIndex.length > 0 &&
      `git tracks ${inIndex.join(" and ")}, and the new command in ${them(inIndex)} works only on this machine: do not commit that change, or run "git rm --cached ${inIndex.join(" ")}" and add ${them(inIndex)} to .gitignore. With --shared, init writes a command that works in every clone.`,
    untracked.length > 0 &&
      !isHidden &&
      `git does not ignore ${untracked.join(" or ")}; add ${them(untracked)} to .gitignore, so that you do not commit your personal settings.`,
    ignored.length > 0 &&
      `git ignores ${ignored.join(" and ")}, so you cannot commit the shared hook; "git check-ignore -v ${ignored[0] ?? ""}" shows the rule to remove.`,
  ].filter((line) => line !== false);
}
