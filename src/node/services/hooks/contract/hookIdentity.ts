/** Identifies hooks that count as one (H3). */
import { isJsonObject } from "@/common/json";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

type IdentifiedHook = Pick<ConfiguredHook, "event" | "matcher" | "handler" | "plugin">;

/**
 * Returns a key that is equal for hooks that count as one: they have the same event, run the same thing, belong to the
 * same plugin or to none and, on SubagentStop, have the same matcher.
 */
export function identityOf({ event, matcher, handler, plugin }: IdentifiedHook): string {
  const scope = event === "Stop" ? "" : normalMatcher(matcher);
  let runs = known.get(handler);
  if (runs === undefined) {
    runs = JSON.stringify([handler.type, ...whatRuns(handler)]);
    known.set(handler, runs);
  }
  return JSON.stringify([event, scope, plugin?.id]) + runs;
}

/** The fields that define what handlers run. A hook is identified several times in a load, and a clone can have many long ones (H5). */
const known = new WeakMap<HookHandler, string>();

/** Returns the fields of a handler that define what it runs. */
function whatRuns(handler: HookHandler): readonly unknown[] {
  switch (handler.type) {
    case "command":
      return [handler.command, handler.args, handler.shell];
    case "http":
      return [handler.url];
    case "prompt":
      return [handler.prompt];
    case "builtin":
      return [handler.name];
    case "unsupported":
      return [canonicalJson(handler)];
  }
}

/** Returns the same text for the same value, regardless of the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(byKey)) : part
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Normalizes a matcher. Absent, empty and `*` all match every agent (H11). */
function normalMatcher(matcher: string | undefined): string {
  const trimmed = matcher?.trim() ?? "";
  return trimmed === "*" ? "" : trimmed;
}

/** Returns the name of a built-in handler as a list, which is empty for other handlers. */
export function builtinName({ handler }: Pick<ConfiguredHook, "handler">): string[] {
  return handler.type === "builtin" ? [handler.name] : [];
}
