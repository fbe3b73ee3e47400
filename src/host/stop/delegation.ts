/** Workspaces that an agent delegates to: the mark by which the host gives their report to that agent (H7, H28). */
import { isJsonObject } from "@/common/json";
import type { HostStreamEnd } from "@/host/muxTypes";

const TYPE = "workspace-turn-task";

export interface Delegation {
  readonly type: typeof TYPE;
  /** The workspace of the agent that waits for the report. */
  readonly ownerWorkspaceId: string;
}

/** @param metadata of a message, or of the stream that answers it */
export function delegationOf(metadata: unknown): Delegation | undefined {
  if (!isJsonObject(metadata) || metadata.type !== TYPE) return undefined;
  const { ownerWorkspaceId, ...more } = metadata;
  return typeof ownerWorkspaceId === "string"
    ? { ...more, type: TYPE, ownerWorkspaceId }
    : undefined;
}

/** The metadata of a continuation: the count after a restart goes by it (H27), and so does the host's report. */
export function continuationMetadata({ metadata }: HostStreamEnd): object {
  return { ...delegationOf(metadata?.muxMetadata), stopHookActive: true };
}

/**
 * The end of a stream whose turn goes on. By the mark the host would report it, and without any metadata it would take
 * the task for interrupted; other metadata makes no difference to the task.
 */
export function unreported(end: HostStreamEnd): HostStreamEnd {
  if (delegationOf(end.metadata?.muxMetadata) === undefined) return end;
  return { ...end, metadata: { ...end.metadata, muxMetadata: { stopHookActive: true } } };
}
