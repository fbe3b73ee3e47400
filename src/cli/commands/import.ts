/**
 * `mux-stop-hooks hooks import`: shows which hooks of Claude Code would run here, and after a confirmation turns them
 * on with the settings key `importClaudeHooks` (H46). Unless it only shows them, it refuses if a variable
 * shows that an agent, a hook or a gate started it.
 */
import { posix } from "node:path";
import * as cli from "@/cli/context";
import { whyNotForAgents } from "@/cli/gauntlet/personOnly";
import { findClaudeHooks, type IdlePlugin } from "@/cli/claudeHooks/findClaudeHooks";
import { isSupported, judgeHandlers, type JudgedFile } from "@/cli/claudeHooks/judgeHandlers";
import { NO_USER_ROOT } from "@/cli/messages/shared";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { confirm } from "@/cli/render/confirm";
import { shortPath, alignColumns, oneLine, withinProject } from "@/cli/render/formatText";
import { trustLine } from "@/cli/render/hookList";
import { styleFor, type Style } from "@/cli/render/style";
import { editSettings, readSettingsText } from "@/cli/settingsFile";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import * as engine from "@/node/services/hooks/index";
import { createBuiltins, hookLoadOptions } from "@/wiring";
import { clip, plural } from "@/common/safeText";
import { TITLE_CHARS } from "@/common/limits";

interface ImportOptions extends WorkspaceOption {
  readonly layer: engine.FileLayer;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

interface Place extends CliWorkspace {
  readonly context: cli.CliContext;
}

/** Runs `hooks import`. `import` itself is a reserved word. */
export async function importHooks(
  options: ImportOptions,
  context: cli.CliContext
): Promise<cli.ExitCode> {
  const refusal = options.dryRun === true ? undefined : whyNotForAgents("hooks import", context);
  if (refusal !== undefined) return cli.printError(context, refusal);
  return await withWorkspace(options, context, async ({ runtime, projectDir }) => {
    const { stdout, home, env } = context;
    const place = { runtime, projectDir, home, env, context };
    const { files, idle, problems } = await findClaudeHooks(place);
    for (const problem of problems) cli.printError(context, problem);
    const short = (path: string): string => shortPath(path, projectDir, home);
    const events = files.flatMap(({ handlers }) => handlers.map(({ event }) => event));
    if (idle.length === 0 && !events.some(isSupported)) {
      const { user, project, local } = engine.claudePaths(home, projectDir, env);
      const paths = [...new Set([user, project, local])].filter((path) => posix.isAbsolute(path));
      return cli.printLine(
        context,
        `Claude Code has no Stop or SubagentStop hooks here. Searched: ${paths.map(short).join(", ")}.`
      );
    }
    const judged = await judgeHandlers(files, {
      ...{ projectDir, home, searchPath: env.PATH },
      ...{ files: runtime.host, builtins: createBuiltins(context) },
    });
    const style = styleFor(stdout, env);
    const view = { projectDir, home, style };
    const blocks = [
      style.bold(`Hooks of Claude Code in ${projectDir}`),
      ...judged.flatMap((file) => renderFile(file, view)),
      ...renderPlugins(idle, view),
    ];
    stdout.write(`${blocks.join("\n\n")}\n\n`);
    return await turnOn(options, place, short);
  });
}

/** Writes `"importClaudeHooks": true`, unless the key has this value already or would have no effect. */
async function turnOn(
  { layer, yes = false, dryRun = false }: ImportOptions,
  place: Place,
  short: (path: string) => string
): Promise<cli.ExitCode> {
  const { runtime, projectDir, context } = place;
  const { stdout } = context;
  const path = await engine.findLayerFile(runtime.host, projectDir, context, layer);
  if (path === undefined) return cli.printError(context, NO_USER_ROOT);
  const setBy = await findImportKey(place);
  if (setBy?.value === true) {
    return cli.printLine(
      context,
      `These hooks are imported already: ${short(setBy.path)} has "importClaudeHooks": true.`
    );
  }
  if (
    setBy !== undefined &&
    engine.FILE_LAYERS.indexOf(setBy.layer) > engine.FILE_LAYERS.indexOf(layer)
  ) {
    return cli.printError(
      context,
      `the key has no effect, because ${short(setBy.path)} has "importClaudeHooks": false; change or remove it there, or choose another --layer`
    );
  }
  if (dryRun) return cli.printLine(context, `${short(path)} would get "importClaudeHooks": true.`);
  if (!yes) {
    const refusal = cli.refuseWithoutTerminal(context);
    if (refusal !== undefined) return cli.printError(context, refusal);
    if (!(await confirm(`Write "importClaudeHooks": true to ${short(path)}?`, context))) {
      stdout.write(`Nothing was written.\n`);
      return cli.EXIT.failure;
    }
  }
  const edit = (file: string, source: string) =>
    engine.setTopLevelKey(file, source, "importClaudeHooks", true);
  const edited = await editSettings(runtime.host, { path, edit }, projectDir);
  if (edited.isErr()) return cli.printError(context, edited.error);
  stdout.write(
    `${short(path)} has "importClaudeHooks": true. The hooks count from your next message on.\n`
  );
  const load = hookLoadOptions(runtime, context);
  const { trust } = await engine.loadHookSettings(runtime, projectDir, load);
  for (const line of trustLine(trust)) stdout.write(`${line}\n`);
  return cli.EXIT.ok;
}

/** Returns the value of `importClaudeHooks` in the highest layer that has it. */
async function findImportKey({ runtime, projectDir, context }: Place) {
  let found: { layer: engine.FileLayer; path: string; value: boolean } | undefined;
  for (const layer of engine.FILE_LAYERS) {
    const path = await engine.findLayerFile(runtime.host, projectDir, context, layer);
    if (path === undefined) continue;
    const text = (await readSettingsText(runtime.host, path)).unwrapOr(undefined) ?? "";
    const value = engine
      .parseSettings(path, text)
      .map(({ values }) => values.importClaudeHooks)
      .unwrapOr(undefined);
    if (value !== undefined) found = { layer, path, value };
  }
  return found;
}

interface ClaudeHooksView {
  readonly projectDir: string;
  readonly home: string;
  readonly style: Style;
}

/** Maximum number of hooks that are shown for one file. */
const MAX_SHOWN = 50;

function renderFile(
  { path, handlers, plugin }: JudgedFile,
  { projectDir, home, style }: ClaudeHooksView
): string[] {
  if (handlers.length === 0) return [];
  const rows = handlers
    .slice(0, MAX_SHOWN)
    .map(({ event, title, line, verdict, text }) => [
      `  ${oneLine(event)}`,
      clip(withinProject(title, projectDir), TITLE_CHARS),
      `:${line}`,
      style[COLORS[verdict]](oneLine(text)),
    ]);
  const rest = handlers.length - rows.length;
  const name = style.bold(shortPath(path, projectDir, home));
  return [
    [
      plugin === undefined ? name : `${name}  plugin ${oneLine(plugin.id)}`,
      ...alignColumns(rows),
      ...(rest === 0 ? [] : [`  … and ${plural(rest, "more hook")}`]),
    ].join("\n"),
  ];
}

const COLORS = { runs: "green", warned: "yellow", never: "dim" } as const;

function renderPlugins(
  plugins: readonly IdlePlugin[],
  { projectDir, home, style }: ClaudeHooksView
): string[] {
  const rows = plugins
    .slice(0, MAX_SHOWN)
    .map(({ id, file, problem }) => [
      `  ${oneLine(id)}`,
      oneLine(
        problem ??
          `enabled in ${shortPath(file, projectDir, home)}, has no Stop or SubagentStop hook`
      ),
    ]);
  return rows.length === 0
    ? []
    : [[style.bold("Plugins without hooks that run here"), ...alignColumns(rows)].join("\n")];
}
