/**
 * The registry of built-in hooks, which are functions of this process such as the gauntlet, with those that run without
 * a configuration (H29), and the types that such a function uses. A hook that runs content of the checkout is
 * registered with a function that lists this content, for trust (H31).
 */
import type { ExecRequest, Files, HookRuntime } from "@/node/runtime/HookRuntime";
import type { HookOutput } from "@/node/services/hooks/contract/inputOutputSchemas";
import type * as contract from "@/node/services/hooks/contract/types";

/** The input of a handler at one stop. */
export interface BuiltinHookContext {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly input: Required<Pick<contract.StopHookInput, "last_assistant_message">> &
    contract.StopHookInput;
  /** Aborted at the time limit and at a user interrupt. The handler must then end what it has started. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Shows output while the handler runs. */
  readonly onOutput?: ExecRequest["onOutput"];
  /** Whether this handler itself requested the current continuation, not only another hook. */
  readonly requestedContinuation: boolean;
  /** The same for all stops of one turn of the user; empty if the caller does not count turns. */
  readonly turnId: string;
  /** When that turn began. */
  readonly turnBegan?: Date | undefined;
  /** Whether the host began the present part of that turn by itself, as for a goal (H25). */
  readonly isHostTurn?: boolean | undefined;
  /**
   * The part of the checkout that the handler runs. Absent if the handler has no `inspect`, or if the caller made the
   * settings itself.
   */
  readonly checkout?: contract.BuiltinInputsView;
}

/** The turn of the user that a stop ends. */
export type UserTurn = Pick<BuiltinHookContext, "turnId" | "turnBegan" | "isHostTurn">;

/**
 * An in-process handler. Returns the object that a command would print, or undefined. An exception is a warning (H23).
 * `unverified: true` marks an output that lets the agent stop although not everything was verified.
 */
export type BuiltinHook = (
  context: BuiltinHookContext
) => Promise<(HookOutput & { unverified?: boolean }) | undefined>;

/** A function that finds what the handler would run, and runs nothing. */
export type InspectCheckout = (
  files: ReadableFiles,
  projectDir: string
) => Promise<contract.BuiltinInputs | undefined>;

export type ReadableFiles = Pick<Files, "stat" | "list" | "readFile">;

/** A hook that runs without a configuration. */
export interface DefaultHook {
  readonly event: contract.HookEventName;
  readonly handler: contract.BuiltinHandler;
}

export interface Registration {
  /** Events whose default lists contain the hook. */
  readonly events?: readonly contract.HookEventName[];
  /** Time limit of the hook in the default lists, in seconds. */
  readonly timeout?: number;
  /** Set for a hook that runs content of the checkout, which requires the project's trust (H31). */
  readonly inspect?: InspectCheckout;
}

/** The handlers that a program has registered, and the default lists of hooks. */
export class BuiltinHooks {
  readonly #hooks = new Map<string, { hook: BuiltinHook; inspect: InspectCheckout | undefined }>();
  readonly #defaults: DefaultHook[] = [];

  /** Registers a handler under the `name` that settings use. */
  register(
    name: string,
    hook: BuiltinHook,
    { events = [], timeout, inspect }: Registration = {}
  ): this {
    this.#hooks.set(name, { hook, inspect });
    for (const event of events) {
      this.#defaults.push({ event, handler: { type: "builtin", name, timeout } });
    }
    return this;
  }

  get(name: string): BuiltinHook | undefined {
    return this.#hooks.get(name)?.hook;
  }

  /** Inspectors of the hooks that run content of the checkout, by name. */
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
