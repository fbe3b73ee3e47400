/**
 * Merges the settings of all files: joins the lists of hooks, without duplicates and without commands that the built-in
 * gauntlet replaces, overrides values, and names the hooks (H3, H4, H12, H29, H30). Keeps the hooks that do not run,
 * such as those of an untrusted checkout, with the reason (H31).
 */
import type { Diagnostic } from "@/common/diagnostics";
import { DEFAULT_MAX_CONTINUATIONS, MAX_DIAGNOSTICS } from "@/common/limits";
import type { DefaultHook } from "@/node/services/hooks/contract/builtinRegistry";
import {
  canonicalJson,
  hookTimeoutMs,
  identityOf,
  isSwitchedOff,
} from "@/node/services/hooks/contract/hookFacts";
import {
  HANDLER_KEYS,
  type HandlerKey,
  type SettingValues,
} from "@/node/services/hooks/contract/settingsSchema";
import * as shell from "@/node/services/hooks/shell/invokedPrograms";
import {
  DEFAULT_USED,
  type FoundHook,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseSettings";
import type * as contract from "@/node/services/hooks/contract/types";
import {
  handlerTypeNotSupported,
  NOT_TRUSTED,
  RUNS_IN_ITS_PLACE,
} from "@/node/services/hooks/messages/shared";
import type { SettingsSource } from "@/node/services/hooks/settings/readHookFiles";

export interface LayerMergeOptions {
  /** Absolute. */
  readonly projectDir: string;
  /** Whether the layers that came with the checkout count at all (H31). */
  readonly trusted: boolean;
  readonly builtins: readonly DefaultHook[];
  /**
   * By the name of a built-in hook that runs content of the checkout, that content. It does not run without trust. If it
   * is undefined, the default of the hook does not run (H29).
   */
  readonly parts?: ReadonlyMap<string, unknown>;
}

type MergedSettings = Omit<contract.HookSettings, "trust" | "checkout" | "files">;

/** Merges sources, which are in layer order, lowest first. */
export function mergeSettings(
  sources: readonly SettingsSource[],
  { projectDir, trusted, builtins, parts = new Map() }: LayerMergeOptions
): MergedSettings {
  const isCounted = (layer: contract.HookLayer): boolean => trusted || layer === "user";
  const counted = sources.filter(({ layer }) => isCounted(layer));
  const values = mergeValues(counted);
  const named = nameEntries(sources);
  const off = named.flatMap(({ hook, off: reason }): contract.SkippedHook[] =>
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
  const isWithheld = (name: string): boolean => !trusted && parts.get(name) !== undefined;
  const isAbsent = parts.has(GAUNTLET) && parts.get(GAUNTLET) === undefined;
  const hooks: contract.ConfiguredHook[] = [];
  const skipped: contract.SkippedHook[] = [];
  for (const { hook, obstacle } of joined.entries) {
    // For a silent obstacle, a notice of the settings file or the user's own setting explains why the hook is off.
    const reason = obstacle ?? findSilentObstacle(hook, values, isWithheld);
    if (reason === undefined) hooks.push(hook);
    else skipped.push({ hook, reason, visible: obstacle !== undefined });
  }
  const once = runGauntletOnce(hooks, values["stopHooks.timeout"], isAbsent);
  const runAnyway = new Set(once.hooks.map(identityOf));
  const untrusted = ignored.entries
    .filter(({ hook }) => runAnyway.size === 0 || !runAnyway.has(identityOf(hook)))
    .map(({ hook }): contract.SkippedHook => ({ hook, reason: NOT_TRUSTED, visible: false }));
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
  // Handlers of unsupported types never run. They come last, so that they have no effect on the names of the others.
  return [...entriesOf(({ hooks }) => hooks), ...entriesOf(({ unsupported = [] }) => unsupported)];
}

/** Returns a function that names hooks `<layer>:<event>[<n>]`. n counts per layer and event, after `named` (H12). */
export function nameCounter(
  named: readonly Pick<contract.ConfiguredHook, "layer" | "event">[] = []
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

/** Returns why a hook does not run, for a reason that the user is not notified of. */
function findSilentObstacle(
  { handler }: contract.ConfiguredHook,
  values: SettingValues,
  isWithheld: (name: string) => boolean
): string | undefined {
  if (handler.type === "unsupported") return handlerTypeNotSupported(handler.given);
  if (handler.type !== "builtin") return undefined;
  if (isWithheld(handler.name)) return NOT_TRUSTED;
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
  hooks: readonly contract.ConfiguredHook[],
  defaultTimeoutS: number | undefined,
  isAbsent: boolean
): Pick<MergedSettings, "hooks" | "skipped"> {
  const onStop = hooks.filter(({ event, handler }) => event === "Stop" && !isSwitchedOff(handler));
  const builtin = onStop.find(
    ({ handler }) => handler.type === "builtin" && handler.name === GAUNTLET
  );
  const runs = !(isAbsent && builtin?.layer === "builtin");
  // The Stop hook of this package's own plugin does not run another gauntlet, as a command may do in another folder.
  const repeated = onStop.filter(
    ({ handler, plugin }) =>
      handler.type === "command" &&
      ((runs && shell.runsGauntlet(handler)) || plugin?.id.startsWith("agent-gauntlet@") === true)
  );
  if (builtin === undefined || repeated.length === 0) return { hooks, skipped: [] };
  const limits = [builtin, ...repeated].map((hook) => hookTimeoutMs(hook.handler, defaultTimeoutS));
  const handler = { ...builtin.handler, timeout: Math.max(...limits) / 1000 };
  const reason = `the built-in gauntlet, ${builtin.name}, ${RUNS_IN_ITS_PLACE}`;
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

/**
 * Returns the problems of `sources`, which are in layer order, lowest first. If a lower layer has a value in place of
 * an unusable one, the message names its file instead of the default.
 */
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

/** A hook before it is joined. */
export interface HookEntry {
  readonly hook: contract.ConfiguredHook;
  /** Whether a file is itself the hook. */
  readonly isScript: boolean;
  /** Why the hook cannot run. */
  readonly obstacle?: string | undefined;
}

/** Returns the names of the fields whose value a repeated hook takes from this entry (H3). */
function fieldsOf(entry: HandlerKey["repeated"]): string[] {
  const keys = Object.values(HANDLER_KEYS).flatMap((type) => Object.entries<HandlerKey>(type));
  return keys.flatMap(([name, { repeated }]) => (repeated === entry ? [name] : []));
}

const SWITCHES = new Set(["if", ...fieldsOf("switch")]);
const FIELDS_OF_USER = new Set(fieldsOf("user"));

/** Joins `entries` in layer order. A repeated hook keeps its first position and gets the fields of its last entry. */
function joinHooks(entries: readonly HookEntry[], projectDir: string) {
  const joined: HookEntry[] = [];
  const places = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  /** Positions in `joined` of copies, which may be changed. */
  const copied = new Set<number>();
  const isNamed = scriptFinder(entries, projectDir);
  for (const entry of entries) {
    const { hook } = entry;
    if (isNamed(entry)) continue;
    const key = identityOf(hook);
    const place = places.get(key);
    const first = place === undefined ? undefined : joined[place];
    if (place === undefined || first === undefined) {
      // A handler that is off in one layer must not absorb one that another layer enables.
      if (!isSwitchedOff(hook.handler)) places.set(key, joined.length);
      joined.push(entry);
      continue;
    }
    const handler = copied.has(place) ? first.hook.handler : { ...first.hook.handler };
    copied.add(place);
    const keepsSwitches = first.hook.layer === "user" && hook.fromProject;
    const isChanged = applyRepetition(handler, hook.handler, keepsSwitches);
    const timeoutSource =
      hook.handler.timeout === undefined ? first.hook.timeoutSource : hook.source;
    joined[place] = { ...first, hook: { ...first.hook, handler, timeoutSource } };
    if (isChanged && hook.source !== undefined && diagnostics.length < MAX_DIAGNOSTICS) {
      const { name, source } = first.hook;
      const repeated = source === undefined ? name : `${name} (${source.file}:${source.line})`;
      const message = `this repeats ${repeated}; the hook runs once, with the fields of this entry`;
      diagnostics.push({ severity: "notice", ...hook.source, keyPath: "", message });
    }
  }
  return { entries: joined, diagnostics };
}

/**
 * Overwrites fields with those of a repetition, and returns whether that changed one. Reads each field of the
 * repetition once, so that the time for thousands of them is linear in their length (H20a). A project may tune a hook
 * that the user also has, but not drop it.
 */
function applyRepetition(
  to: Record<string, unknown>,
  from: contract.HookHandler,
  keepsSwitches: boolean
) {
  const fields = Object.entries(from).filter(
    ([key]) => !SWITCHES.has(key) && !(keepsSwitches && FIELDS_OF_USER.has(key))
  );
  const switches = keepsSwitches ? [] : [...SWITCHES].map((key) => [key, from[key]] as const);
  let isChanged = false;
  for (const [key, value] of [...fields, ...switches]) {
    isChanged ||= canonicalJson(to[key]) !== canonicalJson(value);
    if (value === undefined) Reflect.deleteProperty(to, key);
    else to[key] = value;
  }
  return isChanged;
}

/** Returns a function that finds scripts that a handler also runs. Each runs once, as configured in the handler. */
function scriptFinder(
  entries: readonly HookEntry[],
  projectDir: string
): (entry: HookEntry) => boolean {
  const runners = entries.filter(({ isScript }) => !isScript);
  if (runners.length === entries.length) return () => false;
  const named = namedFiles(runners, projectDir);
  // A project cannot drop a user's script, as with any other hook of the user.
  const namedByUser = namedFiles(
    runners.filter(({ hook }) => !hook.fromProject),
    projectDir
  );
  return ({ hook, isScript }) =>
    isScript &&
    (hook.fromProject ? named : namedByUser).has(`${hook.event} ${hook.source?.file ?? ""}`);
}

/** Returns `<event> <path>` of every program that a handler starts. */
function namedFiles(entries: readonly HookEntry[], projectDir: string): Set<string> {
  const named = new Set<string>();
  for (const { hook } of entries) {
    if (hook.handler.type !== "command" || isSwitchedOff(hook.handler)) continue;
    for (const { program } of shell.invokedPrograms(hook.handler)) {
      named.add(`${hook.event} ${shell.resolveWord(program, projectDir)}`);
    }
  }
  return named;
}
