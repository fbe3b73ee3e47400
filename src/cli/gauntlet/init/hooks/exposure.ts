/** Whether settings that `init` wrote are part of the repository. */
import { posix } from "node:path";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import type { SettingsEdit } from "@/cli/settingsText";
import {
  isInRepository,
  notIgnored,
  tracked,
} from "@/node/services/gauntlet/run/changes/repositoryFacts";
import { ignoredSettings, trackedSettings } from "@/cli/gauntlet/messages/hooks";
import { notIgnored as notIgnoredSettings } from "@/cli/gauntlet/messages/init";

type WrittenFile = Pick<SettingsEdit, "path" | "isShared">;

/** Returns warnings about personal files that git does not ignore, and about shared files that it does. */
export async function describeExposure(
  { runtime, projectDir }: InitPlace,
  files: readonly WrittenFile[]
): Promise<readonly string[]> {
  const namesOf = (shared: boolean): string[] => {
    const chosen = files.filter(({ isShared = false }) => isShared === shared);
    const names = chosen.map(({ path }) => posix.relative(projectDir, path));
    return [...new Set(names)].filter((name) => !name.startsWith("../"));
  };
  const [personal, shared] = [namesOf(false), namesOf(true)];
  const names = [...personal, ...shared];
  if (names.length === 0 || !(await isInRepository(runtime, projectDir))) return [];
  const unignored = await notIgnored(runtime, projectDir, names);
  const inIndex = await tracked(runtime, projectDir, personal);
  const untracked = personal.filter((name) => unignored.includes(name) && !inIndex.includes(name));
  const ignored = shared.filter((name) => !unignored.includes(name));
  return [
    ...(inIndex.length === 0 ? [] : [trackedSettings(inIndex)]),
    ...(untracked.length === 0 ? [] : [notIgnoredSettings(untracked)]),
    ...(ignored.length === 0 ? [] : [ignoredSettings(ignored)]),
  ];
}
