import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

/** Returns the name of a built-in handler as a list, which is empty for other handlers. */
export function builtinName({ handler }: Pick<ConfiguredHook, "handler">): string[] {
  return handler.type === "builtin" ? [handler.name] : [];
}
