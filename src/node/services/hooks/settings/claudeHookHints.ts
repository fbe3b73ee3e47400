/**
 * Finds, for hints to the user, hooks that expect the format of Claude Code's transcript but do not request it, and
 * Claude Code's hooks that are not imported (H46). At a stop, the hint about the import is shown once for each project,
 * or once for all if only files of the user have such hooks; `hook-hints.json` records it.
 */
import type { Diagnostic } from "@/common/diagnostics";
import { MAX_SEARCHED_SCRIPT_BYTES, MAX_SETTINGS_BYTES } from "@/common/limits";
import type { CommandHandler, ConfiguredHook } from "@/node/services/hooks/contract/types";
import {
  type MachineView,
  type UserPaths,
  viewMachines,
} from "@/node/services/hooks/settings/cachedReads";
import * as shell from "@/node/services/hooks/shell/invokedPrograms";
import { shownCommand } from "@/common/ownCommandName";
import { posix } from "node:path";
import { isJsonObject } from "@/common/json";
import type { Files, HookRuntime } from "@/node/runtime/HookRuntime";
import { readJson } from "@/node/runtime/fileContents";
import { restrictClaude } from "@/node/services/hooks/settings/claude/filterSettings";
import { findClaude } from "@/node/services/hooks/settings/claude/readClaudeFiles";
import { findProjectFiles, findUserFiles } from "@/node/services/hooks/settings/findFiles";
import { readOnce, settingsSlot } from "@/node/services/hooks/settings/readHookFiles";

/** Code that reads a row of Claude Code's transcript. Compared without blanks and with one kind of quotes. */
const CLAUDE_ROWS = [
  ".message.content",
  ".message?.content",
  ".message.role",
  ".message.usage",
  '["message"]',
  '.get("message"',
  "toolUseResult",
  "isSidechain",
  "tool_use",
  "tool_result",
  '"type":"assistant"',
  '.type=="assistant"',
  '.type==="assistant"',
  '["type"]=="assistant"',
  '.get("type")=="assistant"',
];
/** Code that reads a row of Mux's transcript: such a hook knows both formats. */
const MUX_ROWS = [".parts", "dynamic-tool", '"parts"'];

const MAX_SCRIPTS = 4;

/** Returns a notice for each command and script that reads the format of Claude Code. */
export async function noteDialects(
  hooks: readonly ConfiguredHook[],
  view: MachineView,
  { projectDir, home }: { readonly projectDir: string; readonly home: string }
): Promise<Diagnostic[]> {
  const notes = hooks.map(async ({ handler, source, script }): Promise<Diagnostic[]> => {
    if (handler.type !== "command" || handler.dialect !== undefined || source === undefined) {
      return [];
    }
    const { command, args = [] } = handler;
    const expects =
      script === undefined
        ? readsClaudeRows([command, ...args].join(" ")) ||
          (await someScriptReadsClaudeRows(scriptsOf(handler, projectDir, home), view))
        : readsClaudeRows(decode(script.bytes));
    if (!expects) return [];
    const next =
      script === undefined
        ? 'add "dialect": "claude" to this handler, or "dialect": "mux" to end this hint'
        : `move it to another path than ${source.file}, and configure it in settings.json as a command with "dialect": "claude"`;
    const message = `this hook seems to read the transcript in the format of Claude Code, but it gets the one of Mux; ${next}`;
    return [{ severity: "notice", ...source, keyPath: "", message }];
  });
  return (await Promise.all(notes)).flat();
}

/** Returns whether a program reads a transcript in the format of Claude Code, and in no other. */
function readsClaudeRows(text: string): boolean {
  if (!/transcript/i.test(text)) return false;
  const code = text
    .replaceAll(/\s/g, "")
    .replaceAll("'", '"')
    .replaceAll(String.raw`\"`, '"');
  const has = (part: string): boolean => code.includes(part);
  return CLAUDE_ROWS.some(has) && !MUX_ROWS.some(has);
}

/** Returns the paths that may be the scripts of a command: its program, and words with a slash or an extension. */
export function scriptsOf(handler: CommandHandler, projectDir: string, home: string): string[] {
  const words = shell.invokedPrograms(handler).flatMap(({ program, args }) => [program, ...args]);
  const named = words.filter((word) => !word.startsWith("-") && /\/|\.\w{1,4}$/.test(word));
  const paths = named.map((word) =>
    shell.resolveWord(
      word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home),
      projectDir
    )
  );
  return [...new Set(paths)].slice(0, MAX_SCRIPTS);
}

async function someScriptReadsClaudeRows(
  paths: readonly string[],
  { files, stats, memory }: MachineView
): Promise<boolean> {
  if (paths.length === 0) return false;
  const found = await stats.stat(paths);
  for (const [i, path] of paths.entries()) {
    const stat = found[i];
    if (stat?.kind !== "file") continue;
    const reads = await memory.claudeReaders.get(path, stat, async () =>
      (await files.readFile(path, { maxBytes: MAX_SEARCHED_SCRIPT_BYTES })).map((bytes) =>
        readsClaudeRows(decode(bytes))
      )
    );
    if (reads.unwrapOr(false)) return true;
  }
  return false;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED_SCRIPT_BYTES));
}

/**
 * Returns Claude Code's files with hooks for these events, and whether all of them are the user's. Returns undefined if
 * there are no such hooks, or if a file of Mux decides whether they are imported.
 */
async function findUnimported(runtime: HookRuntime, projectDir: string, place: UserPaths) {
  const { sources } = await findClaude(runtime, projectDir, place, false);
  const withHooks = restrictClaude(sources, true).filter(
    ({ off, settings }) =>
      off === undefined &&
      // The hook of the gauntlet runs here without an import (H29).
      settings.hooks.some(
        ({ off: ownOff, handler }) =>
          ownOff === undefined && !(handler.type === "command" && shell.runsGauntlet(handler))
      )
  );
  const files = sources.filter(({ plugin }) => plugin === undefined);
  const isOff = files.some(({ settings }) => settings.values.disableAllHooks);
  if (withHooks.length === 0 || isOff || (await isDecided(runtime, projectDir, place))) {
    return undefined;
  }
  // A plugin counts as a part of the file that enables it.
  const layers = new Set(withHooks.map(({ layer }) => layer));
  const named = files.filter(({ layer, isManaged }) => isManaged !== true && layers.has(layer));
  return {
    files: [...new Set(named.map(({ file }) => file))],
    isOnlyUsers: withHooks.every(({ layer }) => layer === "user"),
  };
}

/** Returns whether a file of Mux has the key `importClaudeHooks`, with any value. */
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

const RECORD_FILE = "hook-hints.json";
const RECORD_KEY = "importClaudeHooks";
const MAX_RECORDED = 1_000;

/** Returns the hint if it has not been shown for the project, and records it. Never rejects. */
export async function takeImportHint(
  runtime: HookRuntime,
  projectDir: string,
  place: UserPaths,
  { root, project }: { readonly root: string; readonly project: string }
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
  const parsed = await readJson(files, record, { maxBytes: MAX_SETTINGS_BYTES });
  const names = isJsonObject(parsed) ? parsed[RECORD_KEY] : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** @param files the files that define the hooks */
function claudeHooksNotImported(files: readonly string[]): string {
  return `the Stop hooks of Claude Code in ${files.join(" and ")} do not run here; run "${shownCommand()} hooks import" to see them and to turn them on, or set "importClaudeHooks": false to end this hint`;
}
