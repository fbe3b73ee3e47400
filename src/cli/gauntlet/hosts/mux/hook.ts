/** The gauntlet in the settings files of Mux (G29). */
import { isDeepStrictEqual } from "node:util";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type {
  InitPlace,
  InstallPlan,
  PlanOptions,
  RemovalPlan,
} from "@/cli/gauntlet/init/hooks/hookPlan";
import { HOOK_LIMIT_S } from "@/cli/gauntlet/hosts/hookEntries";
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";
import { readSettingsText, type SettingsEdit } from "@/cli/settingsText";
import {
  addHook,
  findLocalSettings,
  GROUPED_HOOKS,
  isWithoutContent,
  loadHookSettings,
  removeHooks,
  replaceFields,
  runsGauntlet,
  type HookHandler,
} from "@/node/services/hooks/index";
import { installedPersonally, installInMain } from "@/cli/gauntlet/messages/hooks";

const handlerWith = (timeout: number) => ({ type: "builtin", name: "gauntlet", timeout });
/** The settings folders of a project, the newer name first (H10). */
export const MUX_FOLDERS = [".xum", ".mux"] as const;
const FILES = ["settings.json", "settings.local.json"];

export async function planMuxHook(
  place: InitPlace,
  { shared = false, limit }: PlanOptions = {}
): Promise<InstallPlan> {
  const installedAt = await findInstalled(place);
  const changed = limit === undefined ? [] : await limitEdits(place, limit);
  if (changed.length > 0) return { ...definedOnly({ installedAt }), edits: ok(changed) };
  if (installedAt !== undefined) {
    const isPersonal = !FILES.slice(0, 1).some((name) =>
      MUX_FOLDERS.some((folder) =>
        installedAt.startsWith(`${posix.join(place.projectDir, folder, name)}:`)
      )
    );
    const advice = shared && isPersonal ? { advice: installedPersonally("mux") } : {};
    return { installedAt, ...advice, edits: ok([]) };
  }
  const path = shared ? ok(await findShared(place)) : await findLocal(place);
  return {
    edits: path.map((found) => [
      {
        path: found,
        isShared: shared,
        edit: (file, source) => addHook(file, source, "Stop", handlerWith(limit ?? HOOK_LIMIT_S)),
      },
    ]),
  };
}

/** Returns the edits that set the time limit of the hooks that `init` wrote in the project. */
async function limitEdits(place: InitPlace, limit: number): Promise<SettingsEdit[]> {
  const set = (source: string): string =>
    replaceFields(source, "Stop", (fields) => (isWritten(fields) ? handlerWith(limit) : undefined));
  const sources = await readSources(place);
  return sources.flatMap(({ path, read }) => {
    const source = read.unwrapOr(undefined) ?? "";
    if (set(source) === source) return [];
    const isShared = !path.endsWith(".local.json");
    return [{ path, isShared, edit: (_: string, text: string) => ok(set(text)) }];
  });
}

async function readSources({ projectDir, runtime }: InitPlace) {
  const paths = MUX_FOLDERS.flatMap((folder) =>
    FILES.map((name) => posix.join(projectDir, folder, name))
  );
  return await Promise.all(
    paths.map(async (path) => ({ path, read: await readSettingsText(runtime, path) }))
  );
}

export async function planMuxRemoval(place: InitPlace): Promise<RemovalPlan> {
  const sources = await readSources(place);
  const removable = sources.filter(({ read }) => {
    const source = read.unwrapOr(undefined) ?? "";
    return remove(source) !== source;
  });
  const installedAt = await findInstalled(place);
  const isRemoved = removable.some(({ path }) => installedAt?.startsWith(`${path}:`));
  return {
    removals: removable.map(({ path }) => ({
      path,
      edit: (_, source) => ok(remove(source)),
      isRemovable: (text) => isWithoutContent(text, GROUPED_HOOKS),
    })),
    others: installedAt === undefined || isRemoved ? [] : [installedAt],
    problems: sources.flatMap(({ read }) => (read.isErr() ? [read.error] : [])),
  };
}

function remove(source: string): string {
  return removeHooks(source, "Stop", isWritten);
}

/** Returns whether `init` wrote a handler, with any time limit. */
function isWritten(fields: JsonObject): boolean {
  const { timeout } = fields;
  return typeof timeout === "number" && isDeepStrictEqual({ ...fields }, handlerWith(timeout));
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
async function findLocal({ runtime, projectDir }: InitPlace): Promise<Result<string, string>> {
  const path = await findLocalSettings(runtime, projectDir);
  if (path.startsWith(`${projectDir}/`)) return ok(path);
  // A local file in this worktree would replace that one.
  const main = posix.dirname(posix.dirname(path));
  return err(installInMain(path, main));
}

/** Returns the file for a hook of the whole team: the existing one, if there is one. */
async function findShared({ runtime, projectDir }: InitPlace): Promise<string> {
  const paths = MUX_FOLDERS.map((folder) => posix.join(projectDir, folder, "settings.json"));
  const stats = await runtime.stat(paths);
  return (
    paths.find((_, i) => stats[i]?.kind !== "missing") ??
    posix.join(projectDir, ".mux/settings.json")
  );
}
