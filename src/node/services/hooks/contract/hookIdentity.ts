/** Decides when two hooks are one (H3). */
import { isJsonObject } from "@/common/json";
import type { HookHandler } from "@/node/services/hooks/contract/settingsSchema";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

type IdentifiedHook = Pick<ConfiguredHook, "event" | "matcher" | "handler">;

/** Hooks that agree in event, matcher and what they run are one hook. */
export function identityOf({ event, matcher, handler }: IdentifiedHook): string {
  const scope = event === "Stop" ? "" : normalMatcher(matcher);
  return JSON.stringify([event, scope, handler.type, ...whatRuns(handler)]);
}

/** Of the fields of a handler those that say what is run. */
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
  }
}

/** The same text for the same value, in whatever order its keys stand. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(byKey)) : part
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Absent, empty and `*` all mean every agent (H11). */
function normalMatcher(matcher: string | undefined): string {
  const trimmed = matcher?.trim() ?? "";
  return trimmed === "*" ? "" : trimmed;
}
