/** Checks synchronously whether the user may get the hint about Claude Code's hooks (H46). */
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import { userRoots, type CandidatePlace } from "@/host/workspace/quickConfigCheck";
import { isLocallyReadable, type Checkout } from "@/host/workspace/WorkspaceLocator";

const PROJECT_FILES = [".claude/settings.json", ".claude/settings.local.json"];

/** Returns whether Claude Code's files may have Stop hooks that the user was not notified of. The engine decides. */
export function mayNeedHint(checkout: Checkout, place: CandidatePlace): boolean {
  if (!isLocallyReadable(checkout)) return false;
  const { dir, metadata } = checkout;
  const users = usersFile(place);
  const isProjects = PROJECT_FILES.some((name) => mayHaveStopHook(join(dir, name)));
  if (!isProjects && !mayHaveStopHook(users)) return false;
  const name = isProjects ? metadata.projectPath : users;
  return !userRoots(place).some((root) =>
    readText(join(root, "hook-hints.json")).includes(JSON.stringify(name))
  );
}

/** Returns the path of the user's settings of Claude Code, or an empty text (H39). */
function usersFile({ env, home }: CandidatePlace): string {
  const folder = env.CLAUDE_CONFIG_DIR ?? join(home, ".claude");
  return isAbsolute(folder) ? join(folder, "settings.json") : "";
}

const HOOKS_OR_PLUGINS = ['"Stop"', '"SubagentStop"', '"enabledPlugins"'];

function mayHaveStopHook(path: string): boolean {
  const text = path === "" ? "" : readText(path);
  return HOOKS_OR_PLUGINS.some((name) => text.includes(name));
}

/** Returns an empty text for a file that is missing, too large or unreadable. */
function readText(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    const isSmall = stat?.isFile() === true && stat.size <= MAX_SETTINGS_BYTES;
    return isSmall ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
