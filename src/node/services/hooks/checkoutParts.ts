/** What of a checkout the built-in hooks would run (H31). */
import type { BuiltinHooks } from "@/node/services/hooks/builtinHooks";
import { rememberedReads } from "@/node/services/hooks/rememberedReads";
import type { MachineView } from "@/node/services/hooks/settingsCache";
import { UNTRUSTED, type MergedSettings } from "@/node/services/hooks/settingsMerge";
import type { CheckoutPart, ConfiguredHook, SkippedHook } from "@/node/services/hooks/types";

/** By name of the built-in handler, also of one that the checkout has no part in. */
export type CheckoutParts = ReadonlyMap<string, CheckoutPart | undefined>;

export async function findCheckoutParts(
  { hooks, disableAllHooks }: MergedSettings,
  builtins: BuiltinHooks,
  view: MachineView,
  projectDir: string
): Promise<CheckoutParts> {
  const parts = new Map<string, CheckoutPart | undefined>();
  if (disableAllHooks) return parts;
  for (const name of new Set(hooks.flatMap(builtinName))) {
    const inspect = builtins.inspector(name);
    if (inspect !== undefined) parts.set(name, await inspect(rememberedReads(view), projectDir));
  }
  return parts;
}

/** Without trust a hook that runs what the checkout brought does not run either. */
export function withoutCheckoutParts(
  settings: MergedSettings,
  parts: CheckoutParts
): MergedSettings {
  const isPartial = (hook: ConfiguredHook): boolean =>
    builtinName(hook).some((name) => parts.get(name) !== undefined);
  const skipped = settings.hooks
    .filter(isPartial)
    .map((hook): SkippedHook => ({ hook, reason: UNTRUSTED, visible: false }));
  return {
    ...settings,
    hooks: settings.hooks.filter((hook) => !isPartial(hook)),
    skipped: [...settings.skipped, ...skipped],
  };
}

export function builtinName({ handler }: Pick<ConfiguredHook, "handler">): string[] {
  return handler.type === "builtin" ? [handler.name] : [];
}
