/** The registry of in-process handlers, and which of them stand in the default list (H29). */
import type { Files, HookRuntime } from "@/node/runtime/HookRuntime";
import type { HookOutput } from "@/node/services/hooks/contract/outputSchema";
import type { BuiltinHandler } from "@/node/services/hooks/contract/settingsSchema";
import type {
  BuiltinInputs,
  BuiltinInputsView,
  HookEventName,
  StopHookInput,
} from "@/node/services/hooks/contract/types";

export interface BuiltinHookContext {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly input: Required<StopHookBasics> & StopHookInput;
  /** Aborted at the time limit and at a user interrupt; what was begun is then to be ended. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the turn goes on because this very handler asked for it, not only another hook. */
  readonly requestedContinuation: boolean;
  /** Equal for all stops of one turn of the user; empty where the caller does not count turns. */
  readonly turnId: string;
  /** Its part of the checkout; absent where the caller loaded no settings. */
  readonly checkout?: BuiltinInputsView;
}

type StopHookBasics = Pick<StopHookInput, "last_assistant_message">;

/** Answers with the object that a command would print, or nothing. A throw is a warning (H23). */
export type BuiltinHook = (context: BuiltinHookContext) => Promise<HookOutput | undefined>;

/** Looks for what it would run, and runs nothing. */
export type InspectCheckout = (
  files: ReadableFiles,
  projectDir: string
) => Promise<BuiltinInputs | undefined>;

export type ReadableFiles = Pick<Files, "stat" | "list" | "readFile">;

export interface DefaultHook {
  readonly event: HookEventName;
  readonly handler: BuiltinHandler;
}

export interface Registration {
  /** In whose lists it stands without any settings. */
  readonly events?: readonly HookEventName[];
  /** Seconds, of the hook in the default lists. */
  readonly timeout?: number;
  /** For a hook that runs what comes with a checkout: then it needs the project's trust (H31). */
  readonly inspect?: InspectCheckout;
}

export class BuiltinHooks {
  readonly #hooks = new Map<string, { hook: BuiltinHook; inspect: InspectCheckout | undefined }>();
  readonly #defaults: DefaultHook[] = [];

  /** Makes `name` known to settings. */
  register(
    name: string,
    hook: BuiltinHook,
    { events = [], timeout, inspect }: Registration = {}
  ): this {
    this.#hooks.set(name, { hook, inspect });
    const limit = timeout === undefined ? {} : { timeout };
    for (const event of events) {
      this.#defaults.push({ event, handler: { type: "builtin", name, ...limit } });
    }
    return this;
  }

  get(name: string): BuiltinHook | undefined {
    return this.#hooks.get(name)?.hook;
  }

  /** By name, of the hooks that run what comes with a checkout. */
  get inspectors(): [string, InspectCheckout][] {
    return [...this.#hooks].flatMap(([name, { inspect }]) =>
      inspect === undefined ? [] : [[name, inspect] as [string, InspectCheckout]]
    );
  }

  /** The built-in layer, below all settings. */
  get defaults(): readonly DefaultHook[] {
    return this.#defaults;
  }
}
