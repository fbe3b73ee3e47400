/**
 * The state of all sessions of this process. It is outside the plugin's modules, because opencode may have several
 * instances of the plugin for one session, for example while `opencode run` ends.
 */
import type { SessionHooks } from "@/opencode/SessionHooks";

export interface SharedState {
  readonly sessions: Map<string, Promise<SessionHooks>>;
  /** IDs of the running calls of the tool `task`, by the session that called it. */
  readonly tasks: Map<string, Set<string>>;
  /** Sessions of sub-agents that such a call started. The call waits for their hooks. */
  readonly reporting: Set<string>;
  /** Sub-agents whose hooks run while such a call waits, by the session that called it. */
  readonly held: Map<string, Set<SessionHooks>>;
  /** Work that must end before `opencode run` does. */
  readonly pending: Set<Promise<void>>;
}

const KEY = Symbol.for("mux-stop-hooks/opencode/1");

export function sharedState(): SharedState {
  const scope = globalThis as { [KEY]?: SharedState };
  scope[KEY] ??= {
    sessions: new Map(),
    tasks: new Map(),
    reporting: new Set(),
    held: new Map(),
    pending: new Set(),
  };
  return scope[KEY];
}
