/** Merges the settings of all files: joined lists, overridden values, no duplicate hooks (H3, H4, H29 to H31). */
import type { Diagnostic } from "@/common/diagnostics";
import { DEFAULT_MAX_CONTINUATIONS } from "@/common/limits";
import type { DefaultHook } from "@/node/services/hooks/contract/builtinHooks";
import { hookTimeoutMs, identityOf, isSwitchedOff } from "@/node/services/hooks/contract/hookFacts";
import { type HookEntry, joinHooks } from "@/node/services/hooks/settings/dedupeHooks";
import type { SettingValues } from "@/node/services/hooks/contract/settingsKeys";
import { runsGauntlet } from "@/node/services/hooks/shell/invokedPrograms";
import {
  DEFAULT_USED,
  type FoundHook,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import type {
  ConfiguredHook,
  HookLayer,
  HookSettings,
  PluginOrigin,
  ScriptFile,
  SkippedHook,
} from "@/node/services/hooks/contract/types";
import { handlerTypeNotSupported, NOT_TRUSTED } from "@/node/services/hooks/messages/shared";

/** The settings of one file, or the hook that the file itself is (H8). */
export interface SettingsSource {
  readonly layer: Exclude<HookLayer, "builtin">;
  readonly file: string;
  readonly settings: ParsedSettings;
  /** Whether the file is itself the hook. */
  readonly isScript?: boolean;
  readonly script?: ScriptFile;
  /** Why the hooks of the file cannot run. */
  readonly obstacle?: string;
  /** Whether it is a file of Claude Code or of a plugin, whose values do not count for Mux's hooks. */
  readonly isClaude?: boolean;
  /** Whether an administrator wrote the file, whose hooks are not imported (H39). */
  readonly isManaged?: boolean;
  readonly plugin?: PluginOrigin;
  /** Whether the source stands for a plugin of the checkout that is not read yet, so that it has no hooks (H38). */
  readonly isUnread?: true;
  /** Why the hooks of the file are turned off (H39). */
  readonly off?: string;
}

export interface LayerMergeOptions {
  /** Absolute. */
  readonly projectDir: string;
  /** Whether the layers that came with the checkout count at all (H31). */
  readonly trusted: boolean;
  readonly builtins: readonly DefaultHook[];
  /** Names of built-in hooks that run content of the checkout, and therefore do not run without trust. */
  readonly partial?: ReadonlySet<string>;
}

type MergedSettings = Omit<HookSettings, "trust" | "checkout" | "files">;

/** Merges sources, which are in layer order, lowest first. */
export function mergeSettings(
  sources: readonly SettingsSource[],
  { projectDir, trusted, builtins, partial = new Set() }: LayerMergeOptions
): MergedSettings {
  const isCounted = (layer: HookLayer): boolean => trusted || layer === "user";
  const counted = sources.filter(({ layer }) => isCounted(layer));
  const values = mergeValues(counted);
  const named = nameEntries(sources);
  const off = named.flatMap(({ hook, off: reason }): SkippedHook[] =>
    reason === undefined || !isCounted(hook.layer) ? [] : [{ hook, reason, visible: false }]
  );
  const entries = named.filter((entry) => entry.off === undefined);
  const nameOf = nameCounter();
  // The default in-process hooks are below all settings (H29).
  const defaults = builtins.map(({ event, handler }): HookEntry => ({
    hook: { name: nameOf("builtin", event), event, layer: "builtin", fromProject: false, handler },
    isScript: false,
  }));
  const joined = joinHooks(
    [...defaults, ...entries.filter(({ hook }) => isCounted(hook.layer))],
    projectDir
  );
  const ignored = joinHooks(
    entries.filter(({ hook }) => !isCounted(hook.layer)),
    projectDir
  );
  const withheld = trusted ? new Set<string>() : partial;
  const hooks: ConfiguredHook[] = [];
  const skipped: SkippedHook[] = [];
  for (const { hook, obstacle } of joined.entries) {
    // A notice of the settings file or the user's own setting explains why a hook is off.
    const reason = obstacle ?? findSilentObstacle(hook, values, withheld);
    if (reason === undefined) hooks.push(hook);
    else skipped.push({ hook, reason, visible: obstacle !== undefined });
  }
  const once = runGauntletOnce(hooks, values["stopHooks.timeout"]);
  const runAnyway = new Set(once.hooks.map(identityOf));
  const untrusted = ignored.entries
    .filter(({ hook }) => runAnyway.size === 0 || !runAnyway.has(identityOf(hook)))
    .map(({ hook }): SkippedHook => ({ hook, reason: NOT_TRUSTED, visible: false }));
  return {
    disableAllHooks: values.disableAllHooks ?? false,
    maxContinuations: values["stopHooks.maxContinuations"] ?? DEFAULT_MAX_CONTINUATIONS,
    defaultTimeoutS: values["stopHooks.timeout"],
    hooks: once.hooks,
    skipped: [...skipped, ...once.skipped, ...off, ...untrusted],
    passEnv: values["hookEnv.pass"] ?? [],
    diagnostics: [...counted.flatMap(noteKeysOfUser), ...joined.diagnostics],
  };
}

/** Returns each value as set by the last layer of Mux that has one and may set it (H3, H31). */
export function mergeValues(sources: readonly SettingsSource[]): SettingValues {
  const own = sources.filter(({ isClaude }) => isClaude !== true);
  return Object.fromEntries(
    own.flatMap(({ layer, settings: { values, ofUser = {} } }) =>
      Object.entries(values).filter(([path]) => layer === "user" || !(path in ofUser))
    )
  );
}

function nameEntries(sources: readonly SettingsSource[]): (HookEntry & Pick<FoundHook, "off">)[] {
  const nameOf = nameCounter();
  const entriesOf = (find: (settings: ParsedSettings) => readonly FoundHook[]) =>
    sources.flatMap(({ layer, file, settings, script, plugin, isScript = false, obstacle, off }) =>
      find(settings).map(({ event, matcher, handler, line, column, off: ownOff = off }) => ({
        hook: {
          name: nameOf(layer, event),
          event,
          layer,
          fromProject: layer !== "user",
          source: { file, line, column },
          matcher,
          handler,
          script,
          plugin,
        },
        isScript,
        obstacle,
        off: ownOff,
      }))
    );
  // The second ones never run, so they have no effect on the names of the others.
  return [...entriesOf(({ hooks }) => hooks), ...entriesOf(({ unsupported = [] }) => unsupported)];
}

/** Returns a function that names hooks `<layer>:<event>[<n>]`. n counts per layer and event, after `named` (H12). */
export function nameCounter(
  named: readonly Pick<ConfiguredHook, "layer" | "event">[] = []
): (layer: string, event: string) => string {
  const counts = new Map<string, number>();
  const count = (layer: string, event: string): string => {
    const prefix = `${layer}:${event}`;
    const n = counts.get(prefix) ?? 0;
    counts.set(prefix, n + 1);
    return `${prefix}[${n}]`;
  };
  for (const { layer, event } of named) count(layer, event);
  return count;
}

function findSilentObstacle(
  { handler }: ConfiguredHook,
  values: SettingValues,
  withheld: ReadonlySet<string>
): string | undefined {
  if (handler.type === "unsupported") return handlerTypeNotSupported(handler.given);
  if (handler.type !== "builtin") return undefined;
  if (withheld.has(handler.name)) return NOT_TRUSTED;
  return handler.name === GAUNTLET && values["gauntlet.enabled"] === false
    ? "turned off by gauntlet.enabled: false"
    : undefined;
}

const GAUNTLET = "gauntlet";

/**
 * Skips Stop commands that start the gauntlet if the built-in one runs. The built-in one then has the longest time
 * limit of all of them (H30).
 */
function runGauntletOnce(
  hooks: readonly ConfiguredHook[],
  defaultTimeoutS: number | undefined
): Pick<MergedSettings, "hooks" | "skipped"> {
  const onStop = hooks.filter(({ event, handler }) => event === "Stop" && !isSwitchedOff(handler));
  const builtin = onStop.find(
    ({ handler }) => handler.type === "builtin" && handler.name === GAUNTLET
  );
  // The Stop hook of this package's own plugin is the gauntlet.
  const repeated = onStop.filter(
    ({ handler, plugin }) =>
      handler.type === "command" &&
      (runsGauntlet(handler) || plugin?.id.startsWith("agent-gauntlet@") === true)
  );
  if (builtin === undefined || repeated.length === 0) return { hooks, skipped: [] };
  const limits = [builtin, ...repeated].map((hook) => hookTimeoutMs(hook.handler, defaultTimeoutS));
  const handler = { ...builtin.handler, timeout: Math.max(...limits) / 1000 };
  const reason = `the built-in gauntlet, ${builtin.name}, runs in its place`;
  return {
    hooks: hooks
      .filter((hook) => !repeated.includes(hook))
      .map((hook) => (hook === builtin ? { ...hook, handler } : hook)),
    skipped: repeated.map((hook) => ({ hook, reason, visible: true })),
  };
}

/**
 * Reports keys of a checkout that have no effect there. For example, only the user decides which secrets hooks of the
 * checkout get (H31).
 */
function noteKeysOfUser({ layer, file, settings }: SettingsSource): Diagnostic[] {
  if (layer === "user") return [];
  return Object.entries(settings.ofUser ?? {}).map(([keyPath, place]) => ({
    severity: "notice",
    file,
    ...place,
    keyPath,
    message:
      "ignored here: it has an effect only in your user settings, such as ~/.mux/settings.json",
  }));
}

/** Returns the problems of `sources`, which are in layer order, lowest first. */
export function describeUnusedValues(sources: readonly SettingsSource[]): Diagnostic[] {
  return sources.flatMap(({ settings }, i) =>
    settings.diagnostics.map((problem) => {
      const lower = sources
        .slice(0, i)
        .findLast(
          ({ isClaude, settings: { values } }) =>
            isClaude !== true && values[problem.keyPath as keyof SettingValues] !== undefined
        );
      if (lower === undefined || !problem.message.endsWith(DEFAULT_USED)) return problem;
      const message = problem.message.slice(0, -DEFAULT_USED.length);
      return { ...problem, message: `${message}; the value in ${lower.file} is used` };
    })
  );
}
