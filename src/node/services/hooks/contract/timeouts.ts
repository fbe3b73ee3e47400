/** Time limits of hooks (H4, H9, H42, H43). */
import {
  ASYNC_HOOK_TIMEOUT_S,
  BUILTIN_HOOK_TIMEOUT_S,
  CLAUDE_HOOK_TIMEOUT_S,
  DEFAULT_HOOK_TIMEOUT_S,
  MAX_HOOK_TIMEOUT_S,
  PROMPT_HOOK_TIMEOUT_S,
} from "@/common/limits";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";

/** Returns the time limit in milliseconds. `defaultS` is `stopHooks.timeout`: the default for commands, in seconds. */
export function hookTimeoutMs(handler: HookHandler, defaultS: number | undefined): number {
  const seconds = handler.timeout ?? defaultTimeoutS(handler, defaultS);
  const most = isBackground(handler) ? ASYNC_HOOK_TIMEOUT_S : MAX_HOOK_TIMEOUT_S;
  return Math.min(seconds, most) * 1000;
}

/** Returns whether a handler runs in the background. */
export function isBackground(handler: HookHandler): boolean {
  return handler.type === "command" && (handler.async === true || handler.asyncRewake === true);
}

function defaultTimeoutS(handler: HookHandler, defaultS: number | undefined): number {
  if (handler.type === "builtin") return BUILTIN_HOOK_TIMEOUT_S;
  if (handler.type === "prompt") return PROMPT_HOOK_TIMEOUT_S;
  if (isBackground(handler)) return ASYNC_HOOK_TIMEOUT_S;
  if (defaultS !== undefined && handler.type === "command") return defaultS;
  return handler.dialect === "claude" ? CLAUDE_HOOK_TIMEOUT_S : DEFAULT_HOOK_TIMEOUT_S;
}
