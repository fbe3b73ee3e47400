/** The agents that run in the background, for which a stop may wait (G39). */
import { isJsonObject } from "@/common/json";

const WAITED_FOR = new Set(["subagent", "workflow"]);
/** An entry with another status has ended, or is unknown: its stop is checked. */
const RUNNING = new Set(["running", "pending", "queued", "in_progress"]);
const MAX_ENTRIES = 200;
const MAX_ID_CHARS = 256;

/** Returns the IDs of these agents. Entries of other types, such as a development server, never end by themselves. */
export function backgroundAgents(tasks: readonly unknown[]): string[] {
  return tasks.slice(0, MAX_ENTRIES).flatMap((task) => {
    if (!isJsonObject(task)) return [];
    const { id, type, status } = task;
    const isAgent = typeof type === "string" && WAITED_FOR.has(type);
    const isRunning = status === undefined || (typeof status === "string" && RUNNING.has(status));
    const isId = typeof id === "string" && id !== "" && id.length <= MAX_ID_CHARS;
    return isAgent && isRunning && isId ? [id] : [];
  });
}
