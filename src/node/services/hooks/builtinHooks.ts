/** The registry of in-process handlers, and which of them stand in the default list (H29). */
import type { Runtime } from "@/node/runtime/Runtime";
import type { HookOutput } from "@/node/services/hooks/hookOutputSchema";
import type { BuiltinHandler } from "@/node/services/hooks/settingsSchema";
import type { HookEventName, StopHookInput } from "@/node/services/hooks/types";

export interface BuiltinHookContext {
  readonly runtime: Runtime;
  /** Absolute. */
  readonly projectDir: string;
  readonly input: Required<StopHookBasics> & StopHookInput;
  /** Aborted at the time limit and at a user interrupt; what was begun is then to be ended. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the turn goes on because this very handler asked for it, not only another hook. */
  readonly askedToContinue: boolean;
}

type StopHookBasics = Pick<StopHookInput, "last_assistant_message">;

/** Answers with the object that a command would print, or nothing. A throw is a warning (H23). */
export type BuiltinHook = (context: BuiltinHookContext) => Promise<HookOutput | undefined>;

export interface DefaultHook {
  readonly event: HookEventName;
  readonly handler: BuiltinHandler;
}

export class BuiltinHooks {
  readonly #hooks = new Map<string, BuiltinHook>();
  readonly #defaults: DefaultHook[] = [];

  /** Makes `name` known; `byDefault` puts it into the lists of those events without any settings. */
  register(
    name: string,
    hook: BuiltinHook,
    byDefault: { events: readonly HookEventName[]; timeout?: number } = { events: [] }
  ): this {
    this.#hooks.set(name, hook);
    const timeout = byDefault.timeout === undefined ? {} : { timeout: byDefault.timeout };
    for (const event of byDefault.events) {
      this.#defaults.push({ event, handler: { type: "builtin", name, ...timeout } });
    }
    return this;
  }

  get(name: string): BuiltinHook | undefined {
    return this.#hooks.get(name);
  }

  /** The built-in layer, below all settings. */
  get defaults(): readonly DefaultHook[] {
    return this.#defaults;
  }
}
