/**
 * Renders hooks, trust and settings problems as text or JSON for `hooks` commands, and first plans which hooks of an
 * event would run.
 */
import { shownCommand } from "@/common/ownCommandName";
import { plural } from "@/common/safeText";
import { alignColumns, oneLine, shortPath, withinProject } from "@/cli/render/formatText";
import type { Style } from "@/cli/render/style";
import { formatDiagnostic } from "@/common/diagnostics";
import * as engine from "@/node/services/hooks/index";
import { trusted } from "@/cli/messages/shared";

/** The data of a list of hooks. */
interface HookListView {
  /** The display name of the project, if it is not its path. */
  readonly name?: string;
  readonly projectDir: string;
  readonly home: string;
  readonly settings: engine.HookSettings;
  readonly lists: readonly EventList[];
  readonly style: Style;
  /** About hooks of Claude Code that are not imported. */
  readonly hint?: string;
}

/** Renders the hooks of a project with the skipped ones, the trust and the problems. */
export function renderHookList(view: HookListView): string {
  const { settings, lists, style } = view;
  return [
    `Hooks of ${view.name ?? view.projectDir}`,
    ...lists.map((list) => renderEvent(list, view)),
    ...lists.flatMap((list) => renderSkipped(list, view)),
    ...trustLine(settings.trust, view.name ?? view.projectDir).map(style.yellow),
    ...(view.hint === undefined ? [] : [view.hint]),
    ...renderDiagnostics(settings.diagnostics, style),
  ].join("\n\n");
}

/** Returns the notice about trust in the project, or the record that a worktree inherits; empty if there is none. */
export function trustLine(trust: engine.HookSettings["trust"], name?: string): string[] {
  if (!trust.trusted) return [trust.message];
  const { notice, record } = trust;
  const isOther = name !== undefined && record !== undefined && record.project !== name;
  return [...(isOther ? [trusted(record)] : []), ...(notice === undefined ? [] : [notice])];
}

function renderEvent({ event, runs }: EventList, view: HookListView): string {
  const { settings, style } = view;
  if (runs.length === 0) return `${style.bold(event)}: no hooks would run`;
  const rows = runs.map((hook, i) => [
    `  ${i + 1}`,
    hook.name,
    limitOf(hook, settings),
    ...(event === "SubagentStop" ? [hook.matcher ?? "*"] : []),
    withinProject(engine.hookTitle(hook.handler), view.projectDir),
    originOf(hook.source, view),
  ]);
  const limit = `at most ${plural(settings.maxContinuations, "continuation")} per turn`;
  return [`${style.bold(event)}  ${style.dim(limit)}`, ...alignColumns(rows)].join("\n");
}

function renderSkipped({ event, skipped }: EventList, view: HookListView): string[] {
  if (skipped.length === 0) return [];
  const rows = skipped.map(({ hook, reason }) => [
    `  ${hook.name}`,
    withinProject(engine.hookTitle(hook.handler), view.projectDir),
    originOf(hook.source, view),
    oneLine(reason),
  ]);
  return [[view.style.bold(`${event}, skipped`), ...alignColumns(rows)].join("\n")];
}

/** Returns the problems in the settings; empty if there are none. */
export function renderDiagnostics(
  diagnostics: engine.HookSettings["diagnostics"],
  style: Style
): string[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic)}`);
  const hint = style.dim(`  run "${shownCommand()} hooks validate" to see the source lines`);
  return [[style.bold("Problems"), ...lines, hint].join("\n")];
}

/** Returns all properties of a hook for JSON output. */
export function hookToJson(hook: engine.ConfiguredHook, settings: engine.HookSettings) {
  const { name, event, layer, source, matcher, handler, plugin } = hook;
  return {
    name,
    event,
    layer,
    source,
    plugin,
    matcher,
    timeoutSeconds: engine.hookTimeoutMs(handler, settings.defaultTimeoutS) / 1000,
    background: engine.isBackground(handler),
    handler,
  };
}

function limitOf(hook: engine.ConfiguredHook, settings: engine.HookSettings): string {
  const limit = `${engine.hookTimeoutMs(hook.handler, settings.defaultTimeoutS) / 1000} s`;
  return engine.isBackground(hook.handler) ? `${limit}, background` : limit;
}

/** Returns the shortened `file:line` of a hook, or `built-in`. */
export function originOf(
  source: engine.ConfiguredHook["source"],
  { projectDir, home }: Pick<HookListView, "projectDir" | "home">
): string {
  if (source === undefined) return "built-in";
  return `${shortPath(source.file, projectDir, home)}:${source.line}`;
}

/** The hooks of one event: those that would run, and the skipped ones. */
export interface EventList extends engine.HookPlan {
  readonly event: engine.HookEventName;
}

/** Plans the hooks of an event. Without `agentType` it ignores matchers and lists the hooks for every type of agent. */
export function planList(
  settings: engine.HookSettings,
  event: engine.HookEventName,
  builtins: engine.BuiltinHooks,
  agentType?: string
): EventList {
  const forAnyAgent = settings.hooks.map((hook) => ({ ...hook, matcher: "*" }));
  const hooks = agentType === undefined ? forAnyAgent : settings.hooks;
  // The hosts that these commands report on have a model, or notify the user.
  const subject = { event, agentType: agentType ?? "", hasModel: true };
  const plan = engine.planHooks({ ...settings, hooks }, subject, builtins);
  const whole = new Map(settings.hooks.map((hook) => [hook.name, hook]));
  const restore = (hook: engine.ConfiguredHook): engine.ConfiguredHook =>
    whole.get(hook.name) ?? hook;
  return {
    event,
    runs: plan.runs.map(restore),
    skipped: plan.skipped.map((skip) => ({ ...skip, hook: restore(skip.hook) })),
  };
}
