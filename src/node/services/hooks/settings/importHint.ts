/** The hint about hooks of Claude Code and its plugins that are not imported (H46). */
import { ownCommand } from "@/common/ownCommand";
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import type { Files, HookRuntime } from "@/node/runtime/HookRuntime";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";
import {
  viewMachine,
  type MachineView,
  type UserPaths,
} from "@/node/services/hooks/settings/workspace";
import { findClaude } from "@/node/services/hooks/settings/claude/readClaude";
import { restrictClaude } from "@/node/services/hooks/settings/claude/claudeSettings";
import {
  findProjectFiles,
  findUserFiles,
  type FoundFile,
} from "@/node/services/hooks/settings/paths";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseFile";
import { runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";
import { readSettings } from "@/node/services/hooks/settings/readFile";

/** Claude Code's files with hooks for these events. No settings file decides whether they are imported. */
interface UnimportedHooks {
  readonly files: readonly string[];
  /** Whether the project has none of them. */
  readonly isOnlyUsers: boolean;
}

/** Returns undefined if there are no such hooks, or if a file of Mux has `importClaudeHooks`. */
async function findUnimported(
  runtime: HookRuntime,
  projectDir: string,
  place: UserPaths
): Promise<UnimportedHooks | undefined> {
  const project = viewMachine(runtime, projectDir);
  const host = runtime.isRemote ? viewMachine(runtime.host, projectDir) : project;
  const { sources } = await findClaude(runtime, projectDir, place, false);
  const having = restrictClaude(sources, true).filter(
    ({ off, settings }) =>
      off === undefined &&
      settings.hooks.some((hook) => hook.off === undefined && !isOwn(hook.handler))
  );
  const files = sources.filter(({ plugin }) => plugin === undefined);
  if (having.length === 0 || files.some(({ settings }) => settings.values.disableAllHooks)) {
    return undefined;
  }
  if (await isDecided(host, project, projectDir, place)) return undefined;
  // A plugin counts as a part of the file that enables it.
  const layers = new Set(having.map(({ layer }) => layer));
  const named = files
    .filter(({ layer, isManaged }) => isManaged !== true && layers.has(layer))
    .map(({ file }) => file);
  return {
    files: [...new Set(named)],
    isOnlyUsers: having.every(({ layer }) => layer === "user"),
  };
}

/** Returns whether a hook is that of the gauntlet, which runs here without an import (H29). */
function isOwn(handler: HookHandler): boolean {
  return handler.type === "command" && runsGauntlet(handler);
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

interface ReadFile {
  readonly path: string;
  readonly settings: ParsedSettings;
}

async function readOne(view: MachineView, file: FoundFile): Promise<ReadFile> {
  return { path: file.path, settings: await readSettings(view, file) };
}

/** Returns whether a file of Mux has the key, with any value. */
async function isDecided(
  host: MachineView,
  project: MachineView,
  projectDir: string,
  place: UserPaths
): Promise<boolean> {
  const [user, checkout] = await Promise.all([
    findUserFiles(host, place),
    findProjectFiles(project, projectDir),
  ]);
  const files = [
    ...(user.settings === undefined ? [] : [readOne(host, user.settings)]),
    ...[checkout.settings, checkout.local].flatMap((file) =>
      file === undefined ? [] : [readOne(project, file)]
    ),
  ];
  const read = await Promise.all(files);
  return read.some(({ settings }) => settings.values.importClaudeHooks !== undefined);
}

/** @param files the files that define the hooks */
function claudeHooksNotImported(files: readonly string[]): string {
  return `the Stop hooks of Claude Code in ${files.join(" and ")} do not run here; run "${ownCommand()} hooks import" to see them and to turn them on, or set "importClaudeHooks": false to end this hint`;
}
