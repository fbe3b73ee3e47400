/**
 * The hooks and settings that a turn began with. Every stop of the turn runs them, and hooks that the user has added
 * since, which can only block. Notifies the user if files or programs have changed (H7).
 */
import { hookTitle, identityOf } from "@/node/services/hooks/contract/hookFacts";
import { posix } from "node:path";
import { changedFiles, listFiles } from "@/node/services/hooks/settings/hookDefinitions";
import { NO_LAYERS } from "@/node/services/hooks/settings/readLayers";
import { nameCounter } from "@/node/services/hooks/settings/mergeLayers";
import { type LoadedHooks, NO_SETTINGS } from "@/node/services/hooks/settingsLoader";
import type { ConfiguredHook, HookSettings } from "@/node/services/hooks/contract/types";

export class FrozenTurn {
  /**
   * The turn of a workspace without any configuration.
   *
   * @internal
   */
  static readonly EMPTY = new FrozenTurn({
    projectDir: "",
    user: NO_LAYERS,
    checkout: NO_LAYERS,
    present: { user: NO_LAYERS, checkout: NO_LAYERS },
    trust: { trusted: true },
    settings: NO_SETTINGS,
    programs: new Map(),
  });

  /** @internal */
  readonly began: LoadedHooks;

  /** @internal */
  constructor(began: LoadedHooks) {
    this.began = began;
  }

  /**
   * Returns the plan for a stop. `now` was loaded with the checkout's layers of this turn. The only hooks that are taken
   * from it are those that the user has added.
   *
   * @internal
   */
  atStop(now: LoadedHooks) {
    const { settings } = this.began;
    const added = this.#additions(now.settings);
    const checkout = new Map(
      [...now.settings.checkout].map(([name, view]) => [
        name,
        { ...view, pinned: settings.checkout.get(name)?.pinned },
      ])
    );
    const { diagnostics, files } = now.settings;
    return {
      settings: { ...settings, hooks: [...settings.hooks, ...added], checkout, diagnostics, files },
      notices: [
        ...describeChange(
          changedFiles(this.began.present.checkout.definitions, now.present.checkout.definitions),
          "changed since the turn began; this turn keeps its hooks, and the change takes effect from your next message, if it is trusted by then"
        ),
        ...describeChange(
          changedFiles(this.began.user.definitions, now.present.user.definitions),
          "changed since the turn began; an added hook runs now, but until your next message it can only block the stop (continue: false has no effect); every other change takes effect from your next message"
        ),
        ...added.map(
          ({ name, handler, source }) =>
            `${name} (${hookTitle(handler)}), in ${source?.file ?? "the user's settings"}, was added during this turn; until your next message it can only block the stop (continue: false has no effect)`
        ),
        // Programs of the project run as they are now, so the user is only notified.
        ...[...this.began.programs]
          .filter(([path, hash]) => (now.programs.get(path) ?? hash) !== hash)
          .map(
            ([path]) =>
              `${posix.basename(path)}: a hook runs this program of the project (${path}), which changed since the turn began; the changed version runs`
          ),
      ],
    };
  }

  /**
   * Describes the differences from the plan of the previous turn.
   *
   * @internal
   */
  since({ began: before }: FrozenTurn): string[] {
    const { checkout, user, trust } = this.began;
    // The notice of the trust decision already names the files.
    if (trust.trusted && trust.isRecorded === true && trust.notice !== undefined) return [];
    const what = "changed since your last message; the change takes effect now";
    return [
      ...describeChange(changedFiles(before.checkout.definitions, checkout.definitions), what),
      ...describeChange(changedFiles(before.user.definitions, user.definitions), what),
    ];
  }

  /** Returns the new hooks of the user's own layer. No other layer takes effect within a turn. */
  #additions({ hooks }: HookSettings): ConfiguredHook[] {
    const { settings } = this.began;
    const all = [...settings.hooks, ...settings.skipped.map(({ hook }) => hook)];
    const known = new Set(all.map(identityOf));
    const added = hooks.filter((hook) => hook.layer === "user" && !known.has(identityOf(hook)));
    const names = nameCounter(all);
    return added.map((hook) => ({ ...hook, name: names("user", hook.event), addedInTurn: true }));
  }
}

function describeChange(names: readonly string[], what: string): string[] {
  return names.length === 0 ? [] : [`${listFiles(names)}: ${what}`];
}
