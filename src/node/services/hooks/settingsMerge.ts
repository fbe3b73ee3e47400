/** From what each file says to what counts: joined lists, overridden values, equal hooks once (H3, H4, H29 to H31). */
import type { Diagnostic } from "@/common/diagnostics";
import { DEFAULT_MAX_CONTINUATIONS } from "@/common/limits";
import type { DefaultHook } from "@/node/services/hooks/builtinHooks";
import { fingerprintOf, identityOf } from "@/node/services/hooks/hookIdentity";
import {
  isSwitchedOff,
  joinHooks,
  type HookEntry,
  type Script,
} from "@/node/services/hooks/hookJoin";
import { runsGauntlet } from "@/node/services/hooks/programCalls";
import type { ParsedSettings, SettingValues } from "@/node/services/hooks/settingsFile";
import type {
  ConfiguredHook,
  HookLayer,
  HookSettings,
  SkippedHook,
} from "@/node/services/hooks/types";

/** What one file says, or the hook that one file is (H8). */
export interface SettingsSource {
  readonly layer: Exclude<HookLayer, "builtin">;
  readonly file: string;
  readonly settings: ParsedSettings;
  readonly script?: Script;
}

export interface MergeOptions {
  /** Absolute. */
  readonly projectDir: string;
  /** Whether the layers that came with the checkout count at all (H31). */
  readonly trusted: boolean;
  readonly builtins: readonly DefaultHook[];
}

export type MergedSettings = Omit<HookSettings, "trust" | "checkout">;

/** Why what came with a checkout does not run. */
export const UNTRUSTED = "the project is not trusted";

/** Sources stand in layer order, lowest first. */
export function mergeSettings(
  sources: readonly SettingsSource[],
  { projectDir, trusted, builtins }: MergeOptions
): MergedSettings {
  const isCounted = (layer: HookLayer): boolean => trusted || layer === "user";
  const counted = sources.filter(({ layer }) => isCounted(layer));
  const values = mergeValues(counted);
  const entries = nameEntries(sources);
  const joined = joinHooks(
    [...builtinEntries(builtins), ...entries.filter(({ hook }) => isCounted(hook.layer))],
    projectDir
  );
  const ignored = joinHooks(
    entries.filter(({ hook }) => !isCounted(hook.layer)),
    projectDir
  );
  const { hooks, skipped } = sortOut(joined.entries, values);
  const runAnyway = new Set(hooks.map(identityOf));
  const untrusted = ignored.entries
    .filter(({ hook }) => !runAnyway.has(identityOf(hook)))
    .map((entry): SkippedHook => ({ hook: configured(entry), reason: UNTRUSTED, visible: false }));
  return {
    disableAllHooks: values.disableAllHooks ?? false,
    maxContinuations: values.maxContinuations ?? DEFAULT_MAX_CONTINUATIONS,
    ...(values.defaultTimeoutS === undefined ? {} : { defaultTimeoutS: values.defaultTimeoutS }),
    hooks,
    skipped: [...skipped, ...untrusted],
    passEnv: counted.flatMap(({ layer, settings }) => (layer === "user" ? settings.passEnv : [])),
    files: sources.map(({ file }) => file),
    diagnostics: [
      ...sources.flatMap(({ settings }) => settings.diagnostics),
      ...counted.flatMap(notePassEnv),
      ...joined.diagnostics,
    ],
  };
}

/** Of each value the last layer's that has one (H3). */
export function mergeValues(sources: readonly SettingsSource[]): SettingValues {
  return sources.reduce<SettingValues>(
    (merged, { settings }) => ({ ...merged, ...settings.values }),
    {}
  );
}

/** In-process defaults, below all settings (H29). */
function builtinEntries(builtins: readonly DefaultHook[]): HookEntry[] {
  const nameOf = nameCounter();
  return builtins.map(({ event, handler }) => ({
    hook: { name: nameOf("builtin", event), event, layer: "builtin", fromProject: false, handler },
  }));
}

function nameEntries(sources: readonly SettingsSource[]): HookEntry[] {
  const nameOf = nameCounter();
  return sources.flatMap(({ layer, file, settings, script }) =>
    settings.hooks.map(({ event, matcher, handler, line, column }) => ({
      hook: {
        name: nameOf(layer, event),
        event,
        layer,
        fromProject: layer !== "user",
        source: { file, line, column },
        ...(matcher === undefined ? {} : { matcher }),
        handler,
      },
      ...(script === undefined ? {} : { script }),
    }))
  );
}

/** `<layer>:<event>[<n>]`, n counted within layer and event (H12). */
function nameCounter(): (layer: string, event: string) => string {
  const counts = new Map<string, number>();
  return (layer, event) => {
    const prefix = `${layer}:${event}`;
    const n = counts.get(prefix) ?? 0;
    counts.set(prefix, n + 1);
    return `${prefix}[${n}]`;
  };
}

/** Scripts that cannot be run, and a gauntlet that is off or has been replaced, do not run whatever the stop. */
function sortOut(
  entries: readonly HookEntry[],
  values: SettingValues
): Pick<MergedSettings, "hooks" | "skipped"> {
  const hooks: ConfiguredHook[] = [];
  const skipped: SkippedHook[] = [];
  for (const entry of entries) {
    const hook = configured(entry);
    const obstacle = entry.script?.obstacle;
    const why = obstacle ?? findGauntletObstacle(hook, entries, values);
    if (why === undefined) hooks.push(hook);
    else skipped.push({ hook, reason: why, visible: obstacle !== undefined });
  }
  return { hooks, skipped };
}

/** The built-in gauntlet makes way for a command that is the gauntlet, so that it never runs twice (H30). */
function findGauntletObstacle(
  { event, handler }: ConfiguredHook,
  entries: readonly HookEntry[],
  values: SettingValues
): string | undefined {
  if (handler.type !== "builtin" || handler.name !== "gauntlet") return undefined;
  if (values.gauntletEnabled === false) return "turned off by gauntlet.enabled: false";
  const command = entries.find(
    ({ hook }) =>
      hook.event === event &&
      hook.handler.type === "command" &&
      !isSwitchedOff(hook.handler) &&
      runsGauntlet(hook.handler)
  );
  return command && `replaced by ${command.hook.name}, which runs agent-gauntlet itself`;
}

function configured({ hook, script }: HookEntry): ConfiguredHook {
  return { ...hook, fingerprint: fingerprintOf(hook, script?.bytes) };
}

/** A checkout does not decide which of the user's secrets its hooks see (H31). */
function notePassEnv({ layer, file, settings }: SettingsSource): Diagnostic[] {
  if (layer === "user" || settings.passEnvAt === undefined) return [];
  const message = "this counts in the user's own settings only";
  const keyPath = "hookEnv.pass";
  return [{ severity: "notice", file, ...settings.passEnvAt, keyPath, message }];
}
