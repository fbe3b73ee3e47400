/** What a checkout had configured when a turn began, against an agent that edits its own gates (H7, G24a). */
import { plural } from "@/common/text";
import { builtinName } from "@/node/services/hooks/checkoutParts";
import { hookTitle } from "@/node/services/hooks/hookPlan";
import { UNTRUSTED } from "@/node/services/hooks/settingsMerge";
import type {
  CheckoutPart,
  CheckoutView,
  ConfiguredHook,
  HookEventName,
  HookSettings,
  SkippedHook,
} from "@/node/services/hooks/types";

const WAITS =
  "it is new or was changed since the turn began, and runs from the next message of the user on";

export class TurnSnapshot {
  readonly #known: ReadonlyMap<string, ConfiguredHook>;
  readonly #checkout: HookSettings["checkout"];

  constructor(settings: HookSettings, event: HookEventName) {
    this.#known = new Map(activeHooks(settings, event).map((hook) => [hook.fingerprint, hook]));
    this.#checkout = settings.checkout;
  }

  /** The settings without what the checkout changed since, and a line for each thing that is not as it was. */
  apply(
    settings: HookSettings,
    event: HookEventName
  ): { settings: HookSettings; notices: string[] } {
    const now = activeHooks(settings, event);
    const changed = now.filter((hook) => hook.fromProject && !this.#known.has(hook.fingerprint));
    // What was trusted when the turn began is what runs, whatever stands there now.
    const regained = settings.skipped.filter((skip) => this.#isBuiltinOfBefore(skip));
    const untrusted = settings.skipped.filter(({ reason }) => reason === UNTRUSTED);
    const isWhollyTrusted = untrusted.length > 0 && untrusted.length === regained.length;
    const present = new Set(
      [...now, ...regained.map(({ hook }) => hook)].map((hook) => hook.fingerprint)
    );
    const vanished = [...this.#known.values()]
      .filter((hook) => !present.has(hook.fingerprint))
      .filter((hook) => this.#isTold(hook, settings))
      .map((hook) => `${hook.name} (${hookTitle(hook.handler)}): ${GONE}`);
    const waiting = changed.map((hook): SkippedHook => ({ hook, reason: WAITS, visible: true }));
    const checkout = this.#viewCheckout(settings.checkout);
    return {
      settings: {
        ...settings,
        hooks: [
          ...regained.map(({ hook }) => hook),
          ...settings.hooks.filter((hook) => !changed.includes(hook)),
        ],
        skipped: [...settings.skipped.filter((skip) => !regained.includes(skip)), ...waiting],
        checkout,
        trust: isWhollyTrusted ? { trusted: true } : settings.trust,
      },
      notices: [...vanished, ...[...checkout].flatMap(describeChange)],
    };
  }

  /** A person's own edit needs no word, but a checkout can turn off all hooks at once. */
  #isTold(hook: ConfiguredHook, { disableAllHooks }: HookSettings): boolean {
    const [view] = builtinName(hook).flatMap((name) => this.#checkout.get(name) ?? []);
    if (view !== undefined) return view.counts !== undefined;
    return hook.fromProject || disableAllHooks;
  }

  #isBuiltinOfBefore({ hook, reason }: SkippedHook): boolean {
    return (
      reason === UNTRUSTED &&
      this.#known.has(hook.fingerprint) &&
      builtinName(hook).some((name) => this.#checkout.get(name)?.counts !== undefined)
    );
  }

  #viewCheckout(now: HookSettings["checkout"]): Map<string, CheckoutView> {
    const names = new Set([...this.#checkout.keys(), ...now.keys()]);
    return new Map(
      [...names].map((name) => [
        name,
        { counts: this.#checkout.get(name)?.counts, now: now.get(name)?.now },
      ])
    );
  }
}

const GONE = "it was configured when the turn began and is gone or changed now, so it did not run";

function activeHooks(settings: HookSettings, event: HookEventName): ConfiguredHook[] {
  return settings.disableAllHooks ? [] : settings.hooks.filter((hook) => hook.event === event);
}

const MOST_NAMED = 5;

function describeChange([name, { counts, now }]: [string, CheckoutView]): string[] {
  const paths = changedFiles(counts, now);
  if (paths.length === 0) return [];
  const named = paths.slice(0, MOST_NAMED).join(", ");
  const rest = paths.length - MOST_NAMED;
  const list = rest > 0 ? `${named} and ${plural(rest, "more file")}` : named;
  return [
    `${name}: ${list} changed since the turn began; until the next message of the user it counts as it was`,
  ];
}

function changedFiles(a: CheckoutPart | undefined, b: CheckoutPart | undefined): string[] {
  const paths = new Set([...(a?.files.keys() ?? []), ...(b?.files.keys() ?? [])]);
  return [...paths].filter((path) => a?.files.get(path) !== b?.files.get(path)).sort();
}
