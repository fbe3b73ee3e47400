/** The hint about hooks of Claude Code and its plugins that are not imported (H46). */
import { ownCommand } from "@/common/ownCommand";
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import type { Files, HookRuntime } from "@/node/runtime/HookRuntime";
import { restrictClaude } from "@/node/services/hooks/settings/claude/claudeSettings";
import { findClaude } from "@/node/services/hooks/settings/claude/readClaude";
import { findProjectFiles, findUserFiles } from "@/node/services/hooks/settings/paths";
import { readOnce, settingsSlot } from "@/node/services/hooks/settings/readFile";
import { viewMachines, type UserPaths } from "@/node/services/hooks/settings/workspace";
import { runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";

/**
 * Returns Claude Code's files with hooks for these events, and whether the project has none of them. Returns undefined if
 * there are no such hooks, or if a file of Mux decides whether they are imported.
 */
async function findUnimported(runtime: HookRuntime, projectDir: string, place: UserPaths) {
  const { sources } = await findClaude(runtime, projectDir, place, false);
  const having = restrictClaude(sources, true).filter(
    ({ off, settings }) =>
      off === undefined &&
      // The hook of the gauntlet runs here without an import (H29).
      settings.hooks.some(
        ({ off: ownOff, handler }) =>
          ownOff === undefined && !(handler.type === "command" && runsGauntlet(handler))
      )
  );
  const files = sources.filter(({ plugin }) => plugin === undefined);
  const isOff = files.some(({ settings }) => settings.values.disableAllHooks);
  if (having.length === 0 || isOff || (await isDecided(runtime, projectDir, place))) {
    return undefined;
  }
  // A plugin counts as a part of the file that enables it.
  const layers = new Set(having.map(({ layer }) => layer));
  const named = files.filter(({ layer, isManaged }) => isManaged !== true && layers.has(layer));
  return {
    files: [...new Set(named.map(({ file }) => file))],
    isOnlyUsers: having.every(({ layer }) => layer === "user"),
  };
}

/** Returns whether a file of Mux has the key, with any value. */
async function isDecided(runtime: HookRuntime, projectDir: string, place: UserPaths) {
  const { host, project } = viewMachines(runtime, projectDir);
  const [user, checkout] = await Promise.all([
    findUserFiles(host, place),
    findProjectFiles(project, projectDir),
  ]);
  const read = await readOnce([
    ...settingsSlot("user", host, user.settings),
    ...settingsSlot("project", project, checkout.settings),
    ...settingsSlot("local", project, checkout.local),
  ]);
  return read.some(({ settings }) => settings.values.importClaudeHooks !== undefined);
}

/** Returns the text of the hint, or undefined if there is none. @param nameOf shortens the path of a file */
export async function describeImportHint(
  runtime: HookRuntime,
  projectDir: string,
  place: UserPaths,
  nameOf: (path: string) => string
): Promise<string | undefined> {
  const found = await findUnimported(runtime, projectDir, place);
  return found && claudeHooksNotImported(found.files.map(nameOf));
}

/** The user root and the project, by whose name the hint is recorded. */
interface HintPlace {
  readonly root: string;
  readonly project: string;
}

const RECORD_FILE = "hook-hints.json";
const RECORD_KEY = "importClaudeHooks";
const MAX_RECORDED = 1_000;

/** Returns the hint if it has not been shown for the project, and records it. Never rejects. */
export async function takeImportHint(
  runtime: HookRuntime,
  projectDir: string,
  place: UserPaths,
  { root, project }: HintPlace
): Promise<string | undefined> {
  const found = await findUnimported(runtime, projectDir, place);
  if (found === undefined) return undefined;
  const [users] = found.files;
  const name = found.isOnlyUsers && users !== undefined ? users : project;
  const { host: files } = runtime;
  const record = posix.join(root, RECORD_FILE);
  const shown = await readShown(files, record);
  if (shown.includes(name)) return undefined;
  const [folder] = await files.stat([root]);
  if (folder?.kind === "directory") {
    const names = [...shown.slice(1 - MAX_RECORDED), name];
    // A hint that cannot be recorded is shown again.
    await files.writeFile(record, `${JSON.stringify({ [RECORD_KEY]: names }, undefined, 2)}\n`);
  }
  return claudeHooksNotImported(found.files);
}

async function readShown(files: Files, record: string): Promise<readonly string[]> {
  const read = await files.readFile(record, { maxBytes: MAX_SETTINGS_BYTES });
  const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
  const parsed = parseJson(text).unwrapOr(undefined);
  const names = isJsonObject(parsed) ? parsed[RECORD_KEY] : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** @param files the files that define the hooks */
function claudeHooksNotImported(files: readonly string[]): string {
  return `the Stop hooks of Claude Code in ${files.join(" and ")} do not run here; run "${ownCommand()} hooks import" to see them and to turn them on, or set "importClaudeHooks": false to end this hint`;
}
