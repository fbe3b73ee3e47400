import type { PresentStat } from "@/node/runtime/HookRuntime";

/** Returns a stamp of a file. Equal stamps mean the same file with the same content. */
export function stampOf({ identity, size, mtimeMs, ctimeMs }: PresentStat): string {
  return `${identity} ${size} ${mtimeMs} ${ctimeMs}`;
}
