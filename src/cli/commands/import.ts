/** `mux-stop-hooks hooks import`: shows which hooks of Claude Code would run here, and turns them on with one key (H46). */
import { posix } from "node:path";
import { refuseAgent, refuseWithoutTerminal } from "@/cli/agentStarted";
import { findClaudeHooks, type FoundFile } from "@/cli/claudeHooks/findFiles";
import { judgeHandlers } from "@/cli/claudeHooks/judge";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption } from "@/cli/project";
import { renderClaudeHooks } from "@/cli/render/claudeHooks";
import { confirm } from "@/cli/render/confirm";
import { shortPath } from "@/cli/render/format";
import { trustLine } from "@/cli/render/hookList";
import { printError } from "@/cli/render/printError";
import { styleFor } from "@/cli/render/style";
import { editSettings, readSettingsText } from "@/cli/settingsText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import {
  claudePaths,
  FILE_LAYERS,
  findLayerFile,
  HOOK_EVENTS,
  loadHookSettings,
  parseSettings,
  setTopLevelKey,
  type FileLayer,
} from "@/node/services/hooks/index";
import { createBuiltins, createRuntime, hookLoadOptions } from "@/wiring";
import { NO_USER_ROOT } from "@/cli/messages/shared";

export interface ImportOptions extends ProjectOption {
  readonly layer: FileLayer;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const KEY = "importClaudeHooks";

interface Place {
  readonly runtime: HookRuntime;
  readonly projectDir: string;
  readonly context: CliContext;
}

/** `import` is a reserved word. */
export async function importHooks(options: ImportOptions, context: CliContext): Promise<ExitCode> {
  const refusal = options.dryRun === true ? undefined : refuseAgent("import", context);
  if (refusal !== undefined) return printError(context, refusal);
  const project = await findProject(options.project, context);
  if (project.isErr()) return printError(context, project.error);
  const place: Place = { runtime: createRuntime(context.env), projectDir: project.value, context };
  const { stdout, home, env } = context;

  const builtins = createBuiltins(context);
  const short = (path: string): string => shortPath(path, place.projectDir, home);
  const { files, idle, problems } = await findClaudeHooks({ ...place, home, env });
  for (const problem of problems) printError(context, problem);
  if (idle.length === 0 && !files.some(hasStopHook)) {
    stdout.write(
      `Claude Code has no Stop or SubagentStop hooks here. Searched: ${pathsOf(place).map(short).join(", ")}.\n`
    );
    return EXIT.ok;
  }
  const judged = await judgeHandlers(files, {
    projectDir: place.projectDir,
    home,
    searchPath: env.PATH,
    files: place.runtime.host,
    builtins,
  });
  const view = { projectDir: place.projectDir, home, style: styleFor(stdout, env) };
  stdout.write(`${renderClaudeHooks(judged, idle, view)}\n`);
  return await turnOn(options, place, short);
}

function pathsOf({ projectDir, context }: Place): string[] {
  const { user, project, local } = claudePaths(context.home, projectDir, context.env);
  return [...new Set([user, project, local])].filter((path) => posix.isAbsolute(path));
}

function hasStopHook({ handlers }: FoundFile): boolean {
  return handlers.some(({ event }) => HOOK_EVENTS.some((name) => name === event));
}

/** Writes the key, unless it has the value already or would have no effect. */
async function turnOn(
  { layer, yes = false, dryRun = false }: ImportOptions,
  place: Place,
  short: (path: string) => string
): Promise<ExitCode> {
  const { runtime, projectDir, context } = place;
  const { stdout } = context;
  const path = await findLayerFile(runtime.host, projectDir, context, layer);
  if (path === undefined) return printError(context, NO_USER_ROOT);
  const setBy = await findValue(place);
  if (setBy?.value === true) {
    stdout.write(
      `These hooks are imported already: ${short(setBy.path)} has "importClaudeHooks": true.\n`
    );
    return EXIT.ok;
  }
  if (setBy !== undefined && FILE_LAYERS.indexOf(setBy.layer) > FILE_LAYERS.indexOf(layer)) {
    return printError(
      context,
      `the key has no effect, because ${short(setBy.path)} has "importClaudeHooks": false; change or remove it there, or choose another --layer`
    );
  }
  if (dryRun) {
    stdout.write(`${short(path)} would get "importClaudeHooks": true.\n`);
    return EXIT.ok;
  }
  if (!yes) {
    const refusal = refuseWithoutTerminal(context);
    if (refusal !== undefined) return printError(context, refusal);
    if (!(await confirm(`Write "importClaudeHooks": true to ${short(path)}?`, context))) {
      stdout.write(`Nothing was written.\n`);
      return EXIT.failure;
    }
  }
  const edited = await editSettings(
    runtime.host,
    {
      path,
      edit: (file, source) => setTopLevelKey(file, source, KEY, true),
    },
    projectDir
  );
  if (edited.isErr()) return printError(context, edited.error);
  stdout.write(
    `${short(path)} has "importClaudeHooks": true. The hooks count from your next message on.\n`
  );
  const load = hookLoadOptions(runtime, context);
  const { trust } = await loadHookSettings(runtime, projectDir, load);
  for (const line of trustLine(trust)) stdout.write(`${line}\n`);
  return EXIT.ok;
}

interface SetValue {
  readonly layer: FileLayer;
  readonly path: string;
  readonly value: boolean;
}

/** Returns the value of the key in the highest layer that has it. */
async function findValue({ runtime, projectDir, context }: Place): Promise<SetValue | undefined> {
  let found: SetValue | undefined;
  for (const layer of FILE_LAYERS) {
    const path = await findLayerFile(runtime.host, projectDir, context, layer);
    if (path === undefined) continue;
    const text = (await readSettingsText(runtime.host, path)).unwrapOr(undefined) ?? "";
    const value = parseSettings(path, text)
      .map(({ values }) => values.importClaudeHooks)
      .unwrapOr(undefined);
    if (value !== undefined) found = { layer, path, value };
  }
  return found;
}
