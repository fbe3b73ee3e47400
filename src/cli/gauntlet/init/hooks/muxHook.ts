/** The gauntlet in the settings files of Mux (G29). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  addHook,
  findLocalSettings,
  loadHookSettings,
  runsGauntlet,
  type HookHandler,
} from "@/node/services/hooks/index";
import { installInMain } from "@/cli/gauntlet/messages/init";

const HANDLER = { type: "builtin", name: "gauntlet", timeout: 300 };

export async function planMuxHook(place: InitPlace): Promise<InstallPlan> {
  const installedAt = await findInstalled(place);
  if (installedAt !== undefined) return { installedAt, edits: ok([]) };
  const path = await findFile(place);
  return {
    edits: path.map((found) => [
      { path: found, edit: (file, source) => addHook(file, source, "Stop", HANDLER) },
    ]),
  };
}

async function findInstalled({
  runtime,
  projectDir,
  env,
  home,
}: InitPlace): Promise<string | undefined> {
  // Without the built-in layer, because only a hook in a file is installed.
  const { hooks, skipped } = await loadHookSettings(runtime, projectDir, { env, home });
  const configured = [...hooks, ...skipped.map(({ hook }) => hook)];
  const found = configured.find(({ event, handler }) => event === "Stop" && isGauntlet(handler));
  return found?.source && `${found.source.file}:${found.source.line}`;
}

function isGauntlet(handler: HookHandler): boolean {
  if (handler.type === "builtin") return handler.name === "gauntlet";
  return handler.type === "command" && runsGauntlet(handler);
}

/** Returns the file for a hook of this user and project, or why the hook cannot be put there. */
async function findFile({ runtime, projectDir }: InitPlace): Promise<Result<string, string>> {
  const path = await findLocalSettings(runtime, projectDir);
  if (path.startsWith(`${projectDir}/`)) return ok(path);
  // A local file in this worktree would replace that one.
  const main = posix.dirname(posix.dirname(path));
  return err(installInMain(path, main));
}
