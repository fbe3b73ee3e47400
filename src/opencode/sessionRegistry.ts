/**
 * Keeps the hooks of opencode's sessions and the state of sub-agent calls, which all instances of the plugin in the
 * process share. Opens the hooks of a session at its first message, and ends those of the oldest sessions.
 */
import { dataOf, type PluginInstance } from "@/opencode/Notices";
import type { SessionHooks } from "@/opencode/SessionHooks";

/** The number of sessions that are remembered. */
const MAX_SESSIONS = 200;

/** Returns the hooks of a session. Rejects if opencode does not return the session. */
export async function hooksOf(instance: PluginInstance, id: string): Promise<SessionHooks> {
  const { sessions } = sharedState();
  const known = sessions.get(id);
  const opening = known ?? open(instance, id);
  // The sessions that were used last are at the end.
  sessions.delete(id);
  sessions.set(id, opening);
  if (known !== undefined) return await known;
  opening.catch(() => {
    if (sessions.get(id) === opening) sessions.delete(id);
  });
  await forgetOldest();
  return await opening;
}

/** Ends the hooks of a session. */
export async function forget(id: string): Promise<void> {
  const { sessions, tasks, reporting, held } = sharedState();
  const known = sessions.get(id);
  for (const map of [sessions, tasks, reporting, held]) map.delete(id);
  const hooks = await known?.catch(() => undefined);
  await hooks?.dispose();
}

async function open(instance: PluginInstance, id: string): Promise<SessionHooks> {
  const [{ SessionHooks: Hooks }, reply] = await Promise.all([
    import("@/opencode/SessionHooks"),
    instance.client.session.get({ path: { id } }),
  ]);
  const session = dataOf("session.get", reply);
  const parent =
    session.parentID === undefined ? undefined : await hooksOf(instance, session.parentID);
  return await Hooks.open(instance, session, parent);
}

async function forgetOldest(): Promise<void> {
  const { sessions } = sharedState();
  if (sessions.size <= MAX_SESSIONS) return;
  for (const [id, opening] of [...sessions].slice(0, sessions.size - MAX_SESSIONS)) {
    const hooks = await opening.catch(() => undefined);
    if (hooks?.isBusy !== true) await forget(id);
  }
}

export interface SharedState {
  readonly sessions: Map<string, Promise<SessionHooks>>;
  /** IDs of the running calls of the tool `task`, by the session that called it. */
  readonly tasks: Map<string, Set<string>>;
  /** IDs of the calls that wait for the hooks of a sub-agent, by its session. */
  readonly reporting: Map<string, string>;
  /** Sub-agents whose hooks run while such a call waits, by the session that called it. */
  readonly held: Map<string, Set<SessionHooks>>;
  /** Work that must end before `opencode run` does. */
  readonly pending: Set<Promise<void>>;
}

const KEY = Symbol.for("mux-stop-hooks/opencode/2");

/** Returns the state that all instances of the plugin in this process share. */
export function sharedState(): SharedState {
  const scope = globalThis as { [KEY]?: SharedState };
  scope[KEY] ??= {
    sessions: new Map(),
    tasks: new Map(),
    reporting: new Map(),
    held: new Map(),
    pending: new Set(),
  };
  return scope[KEY];
}
