/** The ways in which programs store the hooks of an event in their settings files. */
import type { JsonObject } from "@/common/json";
import type { SourceNode } from "@/common/source/SourceNode";

export interface HookFormat {
  /** Whether the list of an event contains groups with a list `hooks`, as in Claude Code, or the handlers themselves. */
  readonly isGrouped: boolean;
  /** The key of a handler's command line. */
  readonly commandKey: string;
  /** The content of a file without hooks. */
  readonly emptyFile: JsonObject;
}

/** The format of Claude Code, which most programs use. */
export const GROUPED_HOOKS: HookFormat = { isGrouped: true, commandKey: "command", emptyFile: {} };

/** Returns the nodes of an event's handlers, in the order of the file. */
export function handlerNodes(
  root: SourceNode | undefined,
  event: string,
  { isGrouped }: HookFormat
): readonly SourceNode[] {
  const entries = root?.child("hooks")?.child(event)?.items ?? [];
  return isGrouped ? entries.flatMap((group) => group.child("hooks")?.items ?? []) : entries;
}
