/** Reads Claude Code's settings files and the plugins that they enable (H9, H38, H39). */
import { posix } from "node:path";
import { fileDiagnostic } from "@/common/diagnostics";
import { claudeSettings } from "@/node/services/hooks/settings/claude/claudeSettings";
import { readManaged } from "@/node/services/hooks/settings/claude/managedSettings";
import {
  readPlugins,
  type CheckoutReads,
  type FoundPlugins,
} from "@/node/services/hooks/settings/claude/readPlugins";
import { findMainCheckout } from "@/node/services/hooks/settings/linkedWorktree";
import { claudePaths, findFiles } from "@/node/services/hooks/settings/paths";
import { readOnce, settingsSlot } from "@/node/services/hooks/settings/slots";
import type { ClaudePlace } from "@/node/services/hooks/settings/workspace";
import { folderNotAbsolute } from "@/node/services/hooks/messages/shared";

/** Returns the managed settings, the files, and the plugins that the files enable, which are in layer order. */
export async function readClaude(
  workspace: ClaudePlace,
  reads: CheckoutReads
): Promise<FoundPlugins> {
  const { host, project, home, projectDir, env } = workspace;
  const paths = claudePaths(home, projectDir, env);
  const isFound = posix.isAbsolute(paths.user);
  const [users, [shared, own]] = await Promise.all([
    isFound ? findFiles(host, [paths.user]) : [],
    findFiles(project, [paths.project, paths.local]),
  ]);
  const local = own ?? (await findInMain(workspace));
  const read = await readOnce([
    ...settingsSlot("user", host, users[0]),
    ...settingsSlot("project", project, shared, reads.budget),
    ...settingsSlot("local", project, local, reads.budget),
  ]);
  const files = read.map((source) => ({
    ...source,
    settings: claudeSettings(source.settings),
    isClaude: true,
  }));
  const [plugins, managed] = await Promise.all([
    readPlugins(workspace, files, reads),
    readManaged(workspace),
  ]);
  const named = env.CLAUDE_CONFIG_DIR ?? "";
  return {
    sources: [...managed, ...files, ...plugins.sources],
    diagnostics: [
      ...(isFound || named === ""
        ? []
        : [fileDiagnostic("warning", projectDir, folderNotAbsolute("CLAUDE_CONFIG_DIR", named))]),
      ...plugins.diagnostics,
    ],
  };
}

/** Returns the local file of the main checkout, if the project is a linked worktree without its own (H39). */
async function findInMain({ project, home, projectDir }: ClaudePlace) {
  const main = await findMainCheckout(project, projectDir);
  if (main === undefined) return undefined;
  const [local] = await findFiles(project, [claudePaths(home, main).local]);
  return local;
}
