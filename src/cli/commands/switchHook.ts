/**
 * `mux-stop-hooks hooks disable` and `enable`: turn one hook, found by its name or command, off or on in the settings
 * files of Mux that define it. Hooks of other files are never changed, and the error describes another way (H47).
 * Refuse if a variable shows that an agent, a hook or a gate started them.
 */
import { shownCommand } from "@/common/ownCommandName";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { type CliContext, EXIT, type ExitCode, printError, printLine } from "@/cli/context";
import { whyNotForAgents } from "@/cli/gauntlet/personOnly";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { alignColumns, shortPath, withinProject } from "@/cli/render/formatText";
import { originOf, trustLine } from "@/cli/render/hookList";
import { editSettings, readSettingsText } from "@/cli/settingsFile";
import {
  FILE_LAYERS,
  findLayerFile,
  hookTitle,
  identityOf,
  loadHookSettings,
  parseSettings,
  setHandlerKey,
  trustEverything,
  type ConfiguredHook,
} from "@/node/services/hooks/index";
import { hookLoadOptions } from "@/wiring";

/** The project of the command, and the settings files that it may change. */
interface Place extends CliWorkspace {
  readonly files: readonly string[];
  readonly context: CliContext;
}

/** Returns the function of `enable` or `disable`. */
export const switchHook =
  (enabled: boolean) =>
  async (name: string, options: WorkspaceOption, context: CliContext): Promise<ExitCode> => {
    const refusal = whyNotForAgents(`hooks ${enabled ? "enable" : "disable"}`, context);
    if (refusal !== undefined) return printError(context, refusal);
    return await withWorkspace(options, context, async ({ runtime, projectDir }) => {
      const layers = FILE_LAYERS.map((layer) => findLayerFile(runtime, projectDir, context, layer));
      const files = (await Promise.all(layers)).filter((path) => path !== undefined);
      const place: Place = { runtime, projectDir, files, context };
      const found = matchName(await listHooks(place), name);
      const [hook, ...others] = found;
      if (hook === undefined)
        return printError(
          context,
          `no hook has the name ${name} or a command that contains it; "${shownCommand()} hooks list" shows all hooks`
        );
      if (others.length === 0) return await switchOne(hook, enabled, place);
      const rows = found.map((each) => [
        `  ${each.name}`,
        withinProject(hookTitle(each.handler), projectDir),
        originOf(each.source, { projectDir, home: context.home }),
      ]);
      printError(context, `several hooks match ${name}; use the name of one of them:`);
      context.stderr.write(`${alignColumns(rows).join("\n")}\n`);
      return EXIT.failure;
    });
  };

/** Returns all hooks that the files define now, trusted or not: trust does not matter for a change by the user. */
async function listHooks({ runtime, projectDir, context }: Place): Promise<ConfiguredHook[]> {
  const load = { ...hookLoadOptions(runtime, context), trust: trustEverything };
  const { hooks, skipped } = await loadHookSettings(runtime, projectDir, load);
  return [...hooks, ...skipped.map(({ hook }) => hook)];
}

/** Returns the hook of that name, else those whose command is the text, else those whose command contains it. */
function matchName(hooks: readonly ConfiguredHook[], name: string): readonly ConfiguredHook[] {
  const text = ({ handler }: ConfiguredHook): string =>
    handler.type === "command"
      ? [handler.command, ...(handler.args ?? [])].join(" ")
      : hookTitle(handler);
  const candidates = [
    hooks.filter((hook) => hook.name === name),
    hooks.filter((hook) => text(hook) === name),
    hooks.filter((hook) => text(hook).includes(name)),
  ];
  return candidates.find(({ length }) => length > 0) ?? [];
}

async function switchOne(hook: ConfiguredHook, enabled: boolean, place: Place): Promise<ExitCode> {
  const { context, projectDir } = place;
  const { stdout, home } = context;
  const label = `${hook.name} (${withinProject(hookTitle(hook.handler), projectDir)})`;
  const state = enabled ? "enabled" : "disabled";
  const entries = await findEntries(hook, place);
  if (entries.isErr()) return printError(context, entries.error);
  if (entries.value.length === 0) return printError(context, whyNotSwitchable(hook, label, place));
  const different = entries.value.filter((entry) => entry.enabled !== enabled);
  if (different.length === 0) return printLine(context, `${label} is already ${state}.`);
  for (const file of new Set(different.map((entry) => entry.file))) {
    // Another process may have moved the handler.
    const edit = (path: string, source: string) => {
      const places = entriesIn(path, source, hook).filter((entry) => entry.enabled !== enabled);
      return setHandlerKey(path, source, places, "enabled", enabled);
    };
    const edited = await editSettings(place.runtime.host, { path: file, edit }, projectDir);
    if (edited.isErr()) return printError(context, edited.error);
  }
  const where = different.map(({ file, line }) => `${shortPath(file, projectDir, home)}:${line}`);
  stdout.write(`${label} is ${state} in ${where.join(" and ")}, from your next message on.\n`);
  return await report(hook, label, enabled, place);
}

/** Reports whether the change has to be trusted, and whether the hook is still not as requested. */
async function report(
  hook: ConfiguredHook,
  label: string,
  enabled: boolean,
  place: Place
): Promise<ExitCode> {
  const { runtime, projectDir, context } = place;
  const identity = identityOf(hook);
  const now = (await listHooks(place)).filter((each) => identityOf(each) === identity);
  const isOn = now.some(({ handler }) => handler.enabled !== false && handler.if === undefined);
  const { trust } = await loadHookSettings(runtime, projectDir, hookLoadOptions(runtime, context));
  for (const line of trustLine(trust)) context.stdout.write(`${line}\n`);
  if (isOn === enabled) return EXIT.ok;
  return printError(
    context,
    `${label} is still ${isOn ? "enabled" : "disabled"}, because of another entry or another field; see "${shownCommand()} hooks list"`
  );
}

/** Returns every handler in the settings files that counts as this hook (H3). */
async function findEntries(
  hook: ConfiguredHook,
  { runtime, files }: Place
): Promise<Result<ReturnType<typeof entriesIn>, string>> {
  const entries: ReturnType<typeof entriesIn> = [];
  for (const file of files) {
    const text = await readSettingsText(runtime.host, file);
    if (text.isErr()) return err(text.error);
    entries.push(...entriesIn(file, text.value ?? "", hook));
  }
  return ok(entries);
}

function entriesIn(file: string, text: string, hook: ConfiguredHook) {
  const identity = identityOf(hook);
  const hooks = parseSettings(file, text).map((settings) => settings.hooks);
  return hooks
    .unwrapOr([])
    .filter((found) => identityOf(found) === identity)
    .map(({ line, column, handler }) => ({
      ...{ file, line, column },
      enabled: handler.enabled !== false,
    }));
}

/** Returns why a hook cannot be switched, with another way. */
function whyNotSwitchable({ source, script }: ConfiguredHook, label: string, place: Place): string {
  if (source === undefined)
    return `${label} is built in and not defined in a file; to turn it off, set "gauntlet": { "enabled": false } in a settings file`;
  const file = shortPath(source.file, place.projectDir, place.context.home);
  const isOwnFile = script !== undefined || !posix.extname(source.file);
  return isOwnFile
    ? `${label} is the file ${file}; to turn it off, remove its executable bit ("chmod -x"), and set it to turn it on`
    : `${label} is defined in ${file}, which is not a settings file of Mux and is never changed; to turn it off in Mux only, repeat it with "enabled": false in a settings file of the same layer`;
}
