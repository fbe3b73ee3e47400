/** Finds the folders of Claude Code (H38, H39). */
import { posix } from "node:path";
import type { UserPaths } from "@/node/services/hooks/settings/workspace";

/** Returns the user's folder of Claude Code, which is not absolute if the variable or the home is not. */
export function claudeConfigDir({ env, home }: UserPaths): string {
  const named = env.CLAUDE_CONFIG_DIR ?? "";
  return named === "" ? posix.join(home, ".claude") : named;
}

/** Returns the folder with the user's plugins and their lists. */
export function claudePluginDir(place: UserPaths): string {
  const named = place.env.CLAUDE_CODE_PLUGIN_CACHE_DIR ?? "";
  return named === "" ? posix.join(claudeConfigDir(place), "plugins") : named;
}

/** Returns whether `path` is `folder` or in it. Both are absolute and normalized. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
