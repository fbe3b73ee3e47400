/** What a checkout had configured when a turn began, against an agent that edits its own gates (H7). */
import { hookTitle } from "@/node/services/hooks/hookPlan";
import type {
  ConfiguredHook,
  HookEventName,
  HookSettings,
  SkippedHook,
} from "@/node/services/hooks/types";

const WAITS =
  "it is new or was changed since the turn began, and runs from the next message of the user on";

export class TurnSnapshot {
  readonly #known: ReadonlyMap<string, ConfiguredHook>;

  constructor(settings: HookSettings, event: HookEventName) {
    this.#known = new Map(activeHooks(settings, event).map((hook) => [hook.fingerprint, hook]));
  }

  /** The settings without what the checkout changed since, and a line for each hook that has vanished. */
  apply(
    settings: HookSettings,
    event: HookEventName
  ): { settings: HookSettings; vanished: string[] } {
    const now = activeHooks(settings, event);
    const changed = new Set(
      now.filter((hook) => hook.fromProject && !this.#known.has(hook.fingerprint))
    );
    const present = new Set(now.map((hook) => hook.fingerprint));
    const vanished = [...this.#known.values()]
      .filter((hook) => !present.has(hook.fingerprint))
      // A person's own edit needs no word, but a checkout can turn off all hooks at once.
      .filter((hook) => hook.fromProject || settings.disableAllHooks)
      .map((hook) => `${hook.name} (${hookTitle(hook.handler)}): ${GONE}`);
    if (changed.size === 0) return { settings, vanished };
    const waiting: SkippedHook[] = [...changed].map((hook) => ({
      hook,
      reason: WAITS,
      visible: true,
    }));
    return {
      settings: {
        ...settings,
        hooks: settings.hooks.filter((hook) => !changed.has(hook)),
        skipped: [...settings.skipped, ...waiting],
      },
      vanished,
    };
  }
}

const GONE = "it was configured when the turn began and is gone or changed now, so it did not run";

function activeHooks(settings: HookSettings, event: HookEventName): ConfiguredHook[] {
  return settings.disableAllHooks ? [] : settings.hooks.filter((hook) => hook.event === event);
}
